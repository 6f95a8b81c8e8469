// Entry of the npm scripts. It runs under the machine's own Node, before anything is installed,
// so nothing but built-in modules may be imported before the version is known to do.
const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 20) {
  console.error(`Coffer needs Node 20 or newer to start; this is ${process.versions.node}.`)
  process.exit(1)
}
const { main } = await import('./bootstrap/main.mjs')
await main(process.argv[2] ?? '', process.argv.slice(3), process.env)
