import { readJson } from '@coffer/kit/values/json'
import { z } from 'zod'
import { ErrorCode, Instant } from '../provider/plaid-answer.ts'
import { Id } from '../provider/plaid-row.ts'

const text = z.string().catch('')
const id = Id.catch('')
const instant = Instant.nullable().catch(null)

/** The fields of a webhook that Coffer uses; empty or null if they are missing or malformed. */
export const Webhook = z
  .object({
    webhook_type: text,
    webhook_code: text,
    item_id: id,
    /** The account that a webhook with the code USER_ACCOUNT_REVOKED concerns. */
    account_id: id,
    error: z.object({ error_code: ErrorCode }).nullable().catch(null),
    consent_expiration_time: instant,
    disconnect_time: instant,
  })
  .transform((sent) => ({
    type: sent.webhook_type,
    code: sent.webhook_code,
    itemId: sent.item_id,
    providerAccountId: sent.account_id,
    errorCode: sent.error?.error_code ?? null,
    endsAt: sent.consent_expiration_time ?? sent.disconnect_time,
  }))
export type Webhook = z.infer<typeof Webhook>

const empty = Webhook.parse({})

/** Returns the content of a webhook; null unless the body is one JSON value. */
export function readWebhook(body: Uint8Array): Webhook | null {
  if (Buffer.from(body).toString().trim() === 'null') return empty
  const found = readJson(body, (json) =>
    json === null ? null : (Webhook.safeParse(json).data ?? empty),
  )
  return found === 'too-large' ? null : found
}
