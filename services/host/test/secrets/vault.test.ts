import { createServer } from 'node:http'
import { Code } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { vaultKeyEncryption } from '../../src/secrets/vault.client.ts'

test.each([
  ['a page of a proxy', 200, '<html>sign in</html>'],
  ['another shape', 200, '{"data":{}}'],
  ['a refusal', 403, '{"errors":["permission denied"]}'],
  ['a refusal with data', 429, '{"data":{"ciphertext":"vault:v1:AAAA"}}'],
])('%s in place of an answer of Vault is unavailable', async (_, status, body) => {
  const server = createServer((_request, response) => response.writeHead(status).end(body))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  const vaultUrl = `http://127.0.0.1:${port}`
  const keys = vaultKeyEncryption({ vaultUrl, vaultToken: 't', vaultKey: 'transit/coffer' })
  const wrapped = keys.wrap(Buffer.from('key'))
  await expect(wrapped).rejects.toMatchObject({ code: Code.Unavailable })
  server.closeAllConnections()
  server.close()
})
