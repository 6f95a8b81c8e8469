// node build/develop.ts: serves the app from its sources at port 5173. Requests of the API go to a
// running Coffer, by default at port 4000; its address is the first argument.
import { createServer } from 'vite'
import { settings } from '../settings.ts'

const [target = 'http://localhost:4000'] = process.argv.slice(2)
// The host of the page stays: the cookie is SameSite=Strict, and Origin and Host have to agree.
const proxy = { '/api': { target, changeOrigin: false, ws: true } }
const server = await createServer({ ...settings, base: '/', server: { port: 5173, proxy } })
await server.listen()
server.printUrls()
