import { expect, test } from '@jest/globals'
import { writeLinkNotice } from './link-notice.ts'

const consentEndsAt = new Date('2026-12-06T03:30:00Z')
const notice = { institutionName: 'First Bank', consentEndsAt, timezone: 'America/Chicago' }
const common = { greeting: 'Hello Ann,', url: 'https://money.example' }

test('the mail of a consent that ends names the day in the timezone of the account', () => {
  const letter = writeLinkNotice('link-expiring', notice, common)
  expect(letter).toMatchObject({
    subject: 'A link to your bank is about to end',
    greeting: 'Hello Ann,',
    button: { label: 'Open Coffer', url: 'https://money.example' },
  })
  const end = 'at First Bank ends on Saturday, December 5, 2026.'
  expect(letter.paragraphs[0]).toContain(end)
  const tokyo = { ...notice, timezone: 'Asia/Tokyo' }
  const { paragraphs } = writeLinkNotice('link-expiring', tokyo, common)
  expect(paragraphs[0]).toContain('Sunday, December 6, 2026')
})

test('the mail of a consent whose end is not known says so', () => {
  const { paragraphs } = writeLinkNotice(
    'link-expiring',
    { ...notice, consentEndsAt: null },
    common,
  )
  expect(paragraphs[0]).toContain('at First Bank ends soon.')
})

test('the mail of a link that does not work names the institution, on one line', () => {
  const named = { ...notice, institutionName: ' First\r\n Bank ' }
  const { subject, paragraphs } = writeLinkNotice('link-broken', named, common)
  expect(subject).toBe('A link to your bank needs you')
  expect(paragraphs[0]).toContain('at First Bank: it asks')
  const unnamed = writeLinkNotice('link-broken', { ...notice, institutionName: ' ' }, common)
  expect(unnamed.paragraphs[0]).toContain('at your institution: it asks')
})
