import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:https'

// Creates the Secret of the keys from the files of the keys folder. Its ServiceAccount may create
// Secrets and nothing else, so an existing Secret is neither read nor replaced. That is a success:
// Argo CD runs this Job at each sync, and Helm again after an installation that failed.
const { API_SERVER, ACCOUNT_DIR, KEYS_DIR, SECRET_NAME } = process.env
const namespace = readFileSync(`${ACCOUNT_DIR}/namespace`, 'utf8')
const files = readdirSync(KEYS_DIR).filter((name) => /\.(key|pub)$/.test(name))
const body = JSON.stringify({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: SECRET_NAME },
  type: 'Opaque',
  data: Object.fromEntries(
    files.map((name) => [name, readFileSync(`${KEYS_DIR}/${name}`).toString('base64')]),
  ),
})
const call = request(new URL(`/api/v1/namespaces/${namespace}/secrets`, API_SERVER), {
  method: 'POST',
  ca: readFileSync(`${ACCOUNT_DIR}/ca.crt`),
  headers: {
    authorization: `Bearer ${readFileSync(`${ACCOUNT_DIR}/token`, 'utf8')}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  },
})
call.on('error', (error) => fail(`${API_SERVER}: ${error.message}`))
call.on('response', (response) => {
  response.resume()
  const { statusCode } = response
  if (statusCode === 201) {
    console.log(`created the Secret ${SECRET_NAME} with ${files.join(', ')}`)
  } else if (statusCode === 409) {
    console.log(`the Secret ${SECRET_NAME} exists and is left as it is`)
  } else {
    fail(`the API server answered ${statusCode}`)
  }
})
call.end(body)

function fail(text) {
  console.error(text)
  process.exitCode = 1
}
