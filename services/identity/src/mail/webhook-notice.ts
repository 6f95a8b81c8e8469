import type { Letter, WebhookNoticeKind } from './mail.ts'

const reasons: Record<WebhookNoticeKind, string> = {
  'webhook-failing': 'it has answered no request for three days',
  'webhook-gone': 'it has answered that it no longer exists (410)',
}

/** Returns the mail about a webhook that was given up (docs/changes/own-webhooks.md#failures). */
export function writeWebhookNotice(
  kind: WebhookNoticeKind,
  host: string,
  { greeting, url }: { greeting: string; url: string },
): Letter {
  const paragraphs = [
    `Coffer no longer sends changes to your webhook at ${host}: ${reasons[kind]}.`,
    'Nothing is lost: the changes are kept for 30 days. Mend the program behind it, switch the ' +
      'webhook on again, and let Coffer send the changes since then once more.',
  ]
  const subject = 'A webhook was switched off'
  return { subject, greeting, paragraphs, button: { label: 'Open Coffer', url } }
}
