import { unavailable } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import type { KeyEncryption } from './key-encryption.ts'

const callMs = 4_000

const Encrypted = z.object({ data: z.object({ ciphertext: z.string() }) })
const Decrypted = z.object({ data: z.object({ plaintext: z.string() }) })
const Key = z.object({ data: z.object({ latest_version: z.number() }) })

export interface VaultSettings {
  vaultUrl: string
  vaultToken: string
  /** Mount and name of a transit key: `transit/coffer`. */
  vaultKey: string
}

/**
 * Creates key encryption by Vault's transit engine. Key IDs are `vault:<mount>/<name>:<version>`,
 * so rotating the key in Vault changes the ID.
 */
export function vaultKeyEncryption({
  vaultUrl,
  vaultToken,
  vaultKey,
}: VaultSettings): KeyEncryption {
  const call = async <T>(path: string, form: z.ZodType<T>, body?: object): Promise<T> => {
    let status: number | undefined
    try {
      const response = await fetch(new URL(`/v1/${path}`, vaultUrl), {
        method: body ? 'POST' : 'GET',
        headers: { 'x-vault-token': vaultToken, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
        redirect: 'error',
        signal: AbortSignal.timeout(callMs),
      })
      status = response.status
      // A refusal's body is read too, so that its connection can be used again.
      const answer: unknown = await response.json()
      if (response.ok) return form.parse(answer)
    } catch {
      // Its error is left out: the text may contain keys.
    }
    throw unavailable(`the key service did not do it (${status})`)
  }
  return {
    kind: 'vault',
    wrap: async (dataKey) => {
      const plaintext = dataKey.toString('base64')
      const { data } = await call(operationPath(vaultKey, 'encrypt'), Encrypted, { plaintext })
      const [, version = ''] = data.ciphertext.split(':')
      return { keyId: `vault:${vaultKey}:${version}`, bytes: Buffer.from(data.ciphertext) }
    },
    unwrap: async ({ keyId, bytes }) => {
      const [, name = ''] = keyId.split(':')
      const ciphertext = bytes.toString()
      const { data } = await call(operationPath(name, 'decrypt'), Decrypted, { ciphertext })
      return Buffer.from(data.plaintext, 'base64')
    },
    isCurrent: async (keyId) => {
      const { data } = await call(operationPath(vaultKey, 'keys'), Key)
      return keyId === `vault:${vaultKey}:v${data.latest_version}`
    },
    isAtHand: (keyId) => keyId.startsWith('vault:'),
    isLost: () => false,
  }
}

/**
 * Returns the path of a transit operation: `transit/encrypt/coffer` for the key `transit/coffer`.
 */
function operationPath(key: string, name: 'encrypt' | 'decrypt' | 'keys'): string {
  const at = key.lastIndexOf('/')
  return `${key.slice(0, at)}/${name}/${key.slice(at + 1)}`
}
