// node build/develop.ts: serves the app from its sources at port 5173. Requests of the API go to a
// running Coffer, by default at port 4000; its address is the first argument.
import { createServer } from 'vite'
import { settings } from '../settings.ts'

const [target = 'http://localhost:4000'] = process.argv.slice(2)
// The host of the page stays: the cookie is SameSite=Strict, and Origin and Host have to agree.
const proxy = { '/api': { target, changeOrigin: false, ws: true } }
// As the gateway does: pages below a path would ask for relative addresses there.
const based = {
  name: 'coffer-base',
  transformIndexHtml: (page: string) => page.replaceAll('"./', '"/'),
}
const server = await createServer({
  ...settings,
  base: '/',
  plugins: [...(settings.plugins ?? []), based],
  // The pictures of the help are in docs/.
  server: { port: 5173, proxy, fs: { allow: ['../..'] } },
})
await server.listen()
server.printUrls()
