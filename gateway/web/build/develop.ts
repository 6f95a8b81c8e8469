// node build/develop.ts: serves the app from its sources at port 5173. Requests of the API go to a
// running Coffer, by default at port 4000; its address is the first argument.
import { createServer } from 'vite'
import { settings } from '../settings.ts'

const [target = 'http://localhost:4000'] = process.argv.slice(2)
// The proxy keeps the Host of the page, because the CSRF check compares it with Origin, and the
// cookie is SameSite=Strict.
const proxy = { '/api': { target, changeOrigin: false, ws: true } }
// Makes the URLs of the page absolute, as the gateway does: relative ones would depend on the path
// of the screen.
const based = {
  name: 'coffer-base',
  transformIndexHtml: (page: string) => page.replaceAll('"./', '"/'),
}
const server = await createServer({
  ...settings,
  base: '/',
  plugins: [...(settings.plugins ?? []), based],
  // Allows files of the whole repository, because the pictures of the help are in docs/.
  server: { port: 5173, proxy, fs: { allow: ['../..'] } },
})
await server.listen()
server.printUrls()
