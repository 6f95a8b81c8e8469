import type { Saved } from './person.ts'

/** The addresses of the server and of its OpenAPI document. */
export function addressText(baseUrl: string): string {
  return [
    `Coffer is at     ${baseUrl}`,
    `API reference    ${baseUrl}/api/openapi.json (OpenAPI)`,
  ].join('\n')
}

/** Credentials of the demo, and `curl` commands that work when pasted into a shell. */
export function welcomeText(
  baseUrl: string,
  { email, password, key, bankAccountId }: Saved,
): string {
  const credential = key === undefined ? `${email}:${password}` : `${key.apiKeyId}:${key.secret}`
  const curl = (path: string) => `  curl -u ${credential} '${baseUrl}/api${path}'`
  return [
    addressText(baseUrl),
    `Demo login       ${email}   password ${password}`,
    `API key          ${key?.apiKeyId ?? '-'}   secret ${key?.secret ?? '-'}`,
    '',
    curl('/links'),
    curl(`/bank_accounts/${bankAccountId}/balances`),
    curl(`/bank_accounts/${bankAccountId}/transactions?limit=5`),
  ].join('\n')
}
