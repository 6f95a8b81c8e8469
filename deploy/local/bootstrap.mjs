// Entry of the npm scripts, under the machine's own Node, before packages are installed. This file
// imports built-in modules only, and checks the version of Node first.
const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 20) {
  console.error(`Coffer needs Node 20 or newer to start; this is ${process.versions.node}.`)
  process.exit(1)
}
const { main } = await import('./bootstrap/main.mjs')
await main(process.argv[2] ?? '', process.argv.slice(3), process.env)
