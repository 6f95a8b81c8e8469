import { expect, test } from '@jest/globals'
import { writeWebhookNotice } from './webhook-notice.ts'

test.each([
  ['webhook-failing', 'it has answered no request for three days'],
  ['webhook-gone', 'it has answered that it no longer exists (410)'],
] as const)('the mail of %s names the host and the reason', (kind, reason) => {
  const common = { greeting: 'Hello Ada,', url: 'https://coffer.example' }
  const { paragraphs, button } = writeWebhookNotice(kind, 'home.example', common)
  expect(paragraphs[0]).toBe(
    `Coffer no longer sends changes to your webhook at home.example: ${reason}.`,
  )
  expect(button?.url).toBe(common.url)
})
