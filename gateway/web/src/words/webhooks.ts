import type { Delivery, ListChangesResponse, Webhook } from '@coffer/client/types'
import { textsOf } from './languages/texts.ts'

type Type = ListChangesResponse['changes'][number]['type']

const texts = textsOf('webhooks')

/** Texts of events by the type of the change. */
const types: Record<Type, string> = texts.types
const statuses: Record<Delivery['status'], string> = texts.statuses
const disabled: Record<NonNullable<Webhook['disabledReason']>, string> = texts.disabled

export const webhookWords = {
  ...texts,
  types,
  statuses,
  disabled,
  typeOf: (type: string) => (type === 'webhook.ping' ? texts.ping : (types[type as Type] ?? type)),
}
