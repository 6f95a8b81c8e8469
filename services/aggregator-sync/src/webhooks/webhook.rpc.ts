import { refused } from '@coffer/kit/rpc/errors'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { createHistogram } from '@coffer/kit/telemetry/meter'
import type { WebhookService } from '@coffer/proto/aggregatorsync/v1/webhook'
import { ConnectError, type ServiceImpl } from '@connectrpc/connect'
import type { settings } from '../config.ts'
import type { OpenAggregator } from '../provider/aggregator.ts'
import { faultOf } from '../provider/plaid-fault.ts'
import { readWebhook, type Webhook } from './webhook.ts'
import { labelOf } from './webhook-code.ts'
import { handleWebhook, type Outcome } from './webhook-handling.service.ts'
import { createWebhookKeys, type WebhookKeys } from './webhook-key.service.ts'
import { type Mismatch, readKeyId, verifyToken } from './webhook-token.ts'

type Deps = Pick<
  ServiceDeps<typeof settings>,
  'config' | 'database' | 'broker' | 'clock' | 'log'
> & { openAggregator: OpenAggregator }

// Maximum size of a webhook. Most have some hundred bytes, those with IDs of removed transactions
// more.
const bytesMax = 1024 * 1024

const observe = createHistogram({
  name: 'coffer_aggregator_webhook_seconds',
  help: 'Verified webhooks of the aggregator by code and outcome',
  labelNames: ['code', 'outcome'],
})

/** Returns the RPC of Plaid's webhooks (docs/banks/webhooks.md). */
export function webhookRoutes(deps: Deps): ServiceImpl<typeof WebhookService> {
  const { config } = deps
  const keys = createWebhookKeys(deps)
  const warn = createUnreadKeyLog(deps)
  return {
    receiveWebhook: async ({ body, verification }) => {
      if (!config.aggregatorEnabled || !config.webhooksEnabled) {
        throw refused('webhooks are not enabled on this server', { status: 404 })
      }
      const token = verification.trim()
      if (token === '') throw unverified('the header Plaid-Verification is missing')
      if (body.length > bytesMax) throw refused('the body is larger than 1 MiB')
      const signedAt = await verify(deps, { keys, warn, token, body })
      // Parsed only after the verification, so that only Plaid can cause the cost.
      const content = readContent(body)
      await observed(content, () => handleWebhook(deps, { content, token, signedAt }))
      return {}
    },
  }
}

const mismatchTexts: Record<Mismatch, string> = {
  signature: 'the signature of the verification is not valid',
  age: 'the verification is over 5 minutes old, or of a later time than now',
  body: 'the verification is not of this body',
}

function readContent(body: Uint8Array): Webhook {
  const content = readWebhook(body)
  if (content === null) throw refused('the body must be one JSON value')
  return content
}

/**
 * Returns when a webhook was signed. Throws refused: 401 for an invalid token, 424 without a key.
 */
async function verify(
  { clock }: Deps,
  of: { keys: WebhookKeys; warn: (error: unknown) => void; token: string; body: Uint8Array },
): Promise<Date> {
  const { keys, warn, token, body } = of
  const keyId = readKeyId(token)
  if (keyId === null) throw unverified('the verification is not a JWT of ES256 with a key ID')
  const key = await keys.find(keyId).catch((error: unknown) => {
    warn(error)
    throw refused('the key of the verification could not be read', { status: 424 })
  })
  if (key === null) throw unverified('the key of the verification is not known or has expired')
  const signedAt = await verifyToken(token, { key, body, now: clock() })
  if (typeof signedAt === 'string') throw unverified(mismatchTexts[signedAt])
  return signedAt
}

const warnMs = 60_000

/**
 * Returns a function that logs keys that could not be read, without a stack. Rate-limited, because
 * anyone can send webhooks with unknown keys: the first one is logged at once, the number of
 * further ones a minute later.
 */
function createUnreadKeyLog({ log }: Pick<Deps, 'log'>) {
  let others: number | null = null
  const write = (reason: string, webhooks: number) =>
    log.warn({ reason, webhooks }, 'the keys of webhooks could not be read')
  return (error: unknown): void => {
    if (others !== null) {
      others += 1
      return
    }
    const reason = faultOf(error)?.code ?? ConnectError.from(error).rawMessage
    write(reason, 1)
    others = 0
    const summarize = () => {
      if (others) write(reason, others)
      others = null
    }
    setTimeout(summarize, warnMs).unref()
  }
}

async function observed(content: Webhook, run: () => Promise<Outcome>): Promise<void> {
  const start = performance.now()
  let outcome: Outcome | 'failed' = 'failed'
  try {
    outcome = await run()
  } finally {
    observe((performance.now() - start) / 1_000, labelOf(content), outcome)
  }
  if (outcome === 'repeated') throw unverified('the webhook was handled before')
  if (outcome === 'too-early') {
    throw refused('the link is not created yet: repeat the webhook later', { status: 424 })
  }
}

function unverified(text: string): Error {
  return refused(text, { status: 401 })
}
