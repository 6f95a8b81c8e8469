import type { Json } from '../../harness/person.ts'
import type { Plaid } from './plaid.ts'

/** Calls an endpoint of the simulated Plaid with the right keys. Returns the body of the answer. */
export async function callPlaid(
  { url, clientId, secret }: Pick<Plaid, 'url' | 'clientId' | 'secret'>,
  path: string,
  body: object,
): Promise<Json> {
  const headers = { 'plaid-client-id': clientId, 'plaid-secret': secret }
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return answer.json()
}
