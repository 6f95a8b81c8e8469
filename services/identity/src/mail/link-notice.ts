import type { Letter, LinkNotice, LinkNoticeKind } from './mail.ts'

/** Returns the mail about a link over the aggregator (docs/banks/webhooks.md#mails). */
export function writeLinkNotice(
  kind: LinkNoticeKind,
  { institutionName, consentEndsAt, timezone }: LinkNotice,
  { greeting, url }: { greeting: string; url: string },
): Letter {
  const institution = institutionName.replaceAll(/\s+/g, ' ').trim() || 'your institution'
  const button = { label: 'Open Coffer', url }
  if (kind === 'link-broken') {
    const paragraphs = [
      `Coffer can no longer read your accounts at ${institution}: it asks you to sign in again, ` +
        'or the access was revoked there.',
      'Your data in Coffer stays as it is. Open Coffer and update the connection of the link; if ' +
        'that does not help, link the institution again.',
    ]
    return { subject: 'A link to your bank needs you', greeting, paragraphs, button }
  }
  const format = { dateStyle: 'full', timeZone: timezone } as const
  const end = consentEndsAt ? `on ${consentEndsAt.toLocaleDateString('en-US', format)}` : 'soon'
  const paragraphs = [
    `Your consent that Coffer reads your accounts at ${institution} ends ${end}.`,
    'Open Coffer before then and update the connection of the link, so that new transactions ' +
      'still arrive.',
  ]
  return { subject: 'A link to your bank is about to end', greeting, paragraphs, button }
}
