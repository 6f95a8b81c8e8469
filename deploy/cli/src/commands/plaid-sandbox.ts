import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { z } from 'zod'
import { reasonOf } from '../process/databases.ts'

/**
 * Result of Plaid Link: the public token of a new item, and the accounts that the user has chosen.
 */
export interface Choice {
  publicToken: string
  institutionId: string
  accountIds: string[]
}

/** The sandbox of Plaid, which creates items without a browser. */
export interface Sandbox {
  /**
   * Creates an item of a test user, and chooses all of its bank accounts. Throws FatalError when
   * Plaid refuses or does not answer.
   */
  choose: (of: { institutionId: string; webhookUrl: string | null }) => Promise<Choice>
}

const timeoutMs = 30_000
const PublicToken = z.object({ public_token: z.string() })
const AccessToken = z.object({ access_token: z.string() })
const Accounts = z.object({ accounts: z.array(z.object({ account_id: z.string() })) })
const Failure = z.object({ error_code: z.string(), error_message: z.string() })

/** Opens the sandbox at a base URL. Throws FatalError for Plaid's production and missing keys. */
export function createSandbox(of: { url: string; clientId: string; secret: string }): Sandbox {
  const { url, clientId, secret } = of
  if (new URL(url).hostname === 'production.plaid.com') {
    throw new FatalError(
      'The command links test banks: set COFFER_AGGREGATOR_URL=https://sandbox.plaid.com, or ' +
        'start "npm start -- --try-aggregator".',
    )
  }
  if (clientId === '' || secret === '') {
    throw new FatalError('No keys of Plaid: give them with --client-id and --secret.')
  }
  const headers = {
    'content-type': 'application/json',
    'plaid-client-id': clientId,
    'plaid-secret': secret,
  }
  const call = (path: string, body: object) => send(url, path, { headers, body })
  return {
    choose: async ({ institutionId, webhookUrl }) => {
      const created = await call('/sandbox/public_token/create', {
        institution_id: institutionId,
        initial_products: ['transactions'],
        options: webhookUrl === null ? {} : { webhook: webhookUrl },
      })
      const token = PublicToken.parse(created)
      // The token is exchanged only to read the IDs of the accounts, which Plaid Link would return.
      // The exchange consumes the token, so the last request creates another.
      const access = AccessToken.parse(await call('/item/public_token/exchange', token))
      const { accounts } = Accounts.parse(await call('/accounts/get', access))
      const { public_token: publicToken } = PublicToken.parse(
        await call('/item/public_token/create', access),
      )
      return { publicToken, institutionId, accountIds: accounts.map((one) => one.account_id) }
    },
  }
}

async function send(
  url: string,
  path: string,
  { headers, body }: { headers: Record<string, string>; body: object },
): Promise<unknown> {
  const signal = AbortSignal.timeout(timeoutMs)
  const request = { method: 'POST', headers, body: JSON.stringify(body), signal }
  const response = await fetch(`${url}${path}`, request).catch((error: Error) => {
    throw new FatalError(`Plaid at ${url} does not answer: ${reasonOf(error.cause ?? error)}`)
  })
  const text = await response.text()
  if (response.ok) return JSON.parse(text)
  const failure = Failure.safeParse(readJson(text)).data
  const reason = failure ? `${failure.error_code}, ${failure.error_message}` : response.status
  throw new FatalError(`Plaid refused ${path}: ${reason}`)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
