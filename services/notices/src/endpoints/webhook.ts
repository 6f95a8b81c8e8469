import { say } from '@coffer/kit/reasons/reasons'
import { invalid, type Problems, refused } from '@coffer/kit/rpc/errors'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { type AllowedHosts, findUrlProblem } from '../requests/webhook-url.ts'

/** A URL to which the changes of an account are sent (docs/changes/own-webhooks.md). */
export const Webhook = z.object({
  accountId: z.string(),
  webhookId: z.string(),
  url: z.string(),
  /** Types of the changes that it gets; empty for all. */
  types: z.array(z.string()),
  description: z.string(),
  isEnabled: z.boolean(),
  /** Null while it is enabled, and after its user has disabled it. */
  disabledReason: z.enum(values['Webhook.disabledReason']).nullable(),
  disabledAt: z.date().nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
  createdWith: z.enum(values['Webhook.createdWith']),
  updatedAt: z.date(),
})
export type Webhook = z.infer<typeof Webhook>
export type DisabledReason = NonNullable<Webhook['disabledReason']>

const descriptionLengthMax = 300

/** Fields of a webhook that its user states. */
export type StatedFields = Pick<Webhook, 'url' | 'types' | 'description'>

/** Returns a webhook with normalised fields. Throws invalid with the problems of all fields. */
export function checkWebhook<Fields extends StatedFields>(
  fields: Fields,
  allowed: AllowedHosts,
): Fields {
  const unknown = fields.types.filter((type) => !isType(type))
  const problems: Problems = {}
  const urlProblem = findUrlProblem(fields.url, allowed)
  if (urlProblem !== null) problems.url = urlProblem
  if (unknown.length > 0)
    problems.types = say('WEBHOOK_TYPES_UNKNOWN', { types: unknown.join(', ') })
  if ([...fields.description].length > descriptionLengthMax) {
    problems.description = say('TOO_LONG', { max: descriptionLengthMax })
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
  return { ...fields, url: new URL(fields.url).href, types: [...new Set(fields.types)].sort() }
}

function isType(type: string): boolean {
  return (values['Change.type'] as readonly string[]).includes(type)
}

/**
 * Returns a webhook after a change by its user; `isEnabled` enables or disables it. Throws invalid.
 */
export function changeWebhook(
  webhook: Webhook,
  change: Partial<StatedFields> & { isEnabled?: boolean },
  { allowed, now }: { allowed: AllowedHosts; now: Date },
): Webhook {
  const { isEnabled = webhook.isEnabled, ...fields } = change
  const checked = checkWebhook({ ...webhook, ...fields }, allowed)
  const enabling = isEnabled ? { disabledReason: null, disabledAt: null } : { disabledAt: now }
  const switched = isEnabled === webhook.isEnabled ? {} : { isEnabled, ...enabling }
  return { ...checked, ...switched, updatedAt: now }
}

/** Throws refused (400) unless changes are sent to the webhook. */
export function requireEnabled({ isEnabled }: Pick<Webhook, 'isEnabled'>): void {
  if (!isEnabled) throw refused(say('WEBHOOK_OFF'))
}
