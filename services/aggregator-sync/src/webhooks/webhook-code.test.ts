import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readWebhook, type Webhook } from './webhook.ts'
import { effectOf, labelOf } from './webhook-code.ts'

const asOf = new Date('2026-03-04T12:00:00Z')
const bytes = (json: unknown) => Buffer.from(JSON.stringify(json))
const webhook = (sent: object) => readWebhook(bytes(sent)) as Webhook

test('the fields of a webhook are read', () => {
  expect(
    webhook({
      webhook_type: 'ITEM',
      webhook_code: 'PENDING_EXPIRATION',
      item_id: 'item',
      account_id: 'account',
      error: { error_code: 'ITEM_LOCKED', error_message: 'locked' },
      consent_expiration_time: '2026-06-01T02:03:04Z',
    }),
  ).toEqual({
    type: 'ITEM',
    code: 'PENDING_EXPIRATION',
    itemId: 'item',
    providerAccountId: 'account',
    errorCode: 'ITEM_LOCKED',
    endsAt: new Date('2026-06-01T02:03:04Z'),
  })
  const disconnected = webhook({ disconnect_time: '2026-06-02T00:00:00+02:00' })
  expect(disconnected.endsAt).toEqual(new Date('2026-06-01T22:00:00Z'))
})

const empty = {
  type: '',
  code: '',
  itemId: '',
  providerAccountId: '',
  errorCode: null,
  endsAt: null,
}

test.each([
  {},
  [],
  null,
  'text',
  7,
  true,
  { webhook_type: {}, item_id: [], error: 'x' },
  { item_id: 'a\u0000', error: { error_code: 'x y' } },
])('missing and malformed fields of %j are empty', (sent) => {
  expect(webhook(sent as object)).toEqual(empty)
})

test.each(['soon', '', 12, {}, '2026-13-01', '+123456-01-01T00:00:00Z'])(
  'the instant %j is left out',
  (sent) => {
    expect(webhook({ consent_expiration_time: sent }).endsAt).toBeNull()
  },
)

test('any JSON is read, and any other bytes are not', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 10 }), (text) => {
      const read = readWebhook(Buffer.from(text)) as Webhook
      expect(() => effectOf(read, asOf)).not.toThrow()
      expect(readWebhook(Buffer.from(`${text} x`))).toBeNull()
    }),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (body) => {
      expect(() => readWebhook(body)).not.toThrow()
    }),
  )
})

test('labels of metrics are those of known webhooks', () => {
  const label = (type: string, code: string) => labelOf({ ...empty, type, code })
  expect(label('ITEM', 'ERROR')).toBe('ITEM.ERROR')
  expect(label('ITEM', 'NEW')).toBe('other')
  expect(label('', '')).toBe('other')
  expect(label('ITEM ERROR', '')).toBe('other')
})
