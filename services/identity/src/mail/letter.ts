import { languageOf, type Words, wordsOf } from '@coffer/kit/values/messages'
import { dayMs } from '@coffer/kit/values/time'
import { texts as de } from './languages/de.ts'
import { texts as en } from './languages/en.ts'
import type {
  EndingTrial,
  Letter,
  LinkKind,
  LinkNotice,
  LinkNoticeKind,
  MailKind,
  NoticeKind,
  Recipient,
  WebhookNoticeKind,
} from './mail.ts'

/**
 * Languages of mails, with the locale that formats days. A new language needs an entry here and a
 * catalogue.
 */
const languages = {
  en: { locale: 'en-US', words: wordsOf<typeof en>(en, 'en') },
  de: { locale: 'de-DE', words: wordsOf<typeof en>(de, 'de') },
}

/** Language of a mail, with its texts and its salutation. */
export interface Speech {
  language: string
  /** Locale that formats days: the recipient's own one, if it has the language of the mail. */
  locale: string
  words: Words<typeof en>
  greeting: string
}

/**
 * Returns texts in the language of a recipient's locale, else in English. The salutation has no
 * name for unverified logins, because a stranger may have entered it, and none in a mail to a new
 * address, which may belong to a stranger.
 */
export function speechFor(
  kind: MailKind,
  {
    firstName,
    isEmailVerified,
    locale,
  }: Pick<Recipient, 'firstName' | 'isEmailVerified' | 'locale'>,
): Speech {
  const own = locale ?? ''
  const language = languageOf(own, languages)
  const { words, locale: common } = languages[language]
  const isNamed = isEmailVerified && kind !== 'change-email'
  return {
    language,
    locale: own.startsWith(language) ? own.replace('_', '-') : common,
    words,
    greeting: isNamed ? words.greetingBy({ name: firstName }) : words.greeting,
  }
}

/** Returns the content of a mail that reports a change of the login's credentials, or an attack. */
export function writeNotice(kind: NoticeKind, speech: Speech): Letter {
  return letterOf(speech, speech.words[kind], null)
}

/** Returns the mail about the end of a trial; names the day in the account's timezone. */
export function writeTrialLetter(
  { trialEndsAt, timezone }: EndingTrial,
  now: Date,
  speech: Speech,
): Letter {
  const { words } = speech
  const day = dayText(trialEndsAt, timezone, speech)
  if (trialEndsAt <= now) {
    const { subject, what, more } = words['trial-ended']
    return letterOf(speech, { subject, what: what({ day }), more }, null)
  }
  const days = Math.floor((trialEndsAt.getTime() - now.getTime()) / dayMs)
  const { subject, what, more } = words['trial-ending']
  return letterOf(speech, { subject, what: what({ days, day }), more }, null)
}

/** Returns the content of a mail with a link, which is valid for `minutes`. */
export function writeLinkLetter(
  kind: LinkKind,
  { link, minutes }: { link: string; minutes: number },
  speech: Speech,
): Letter {
  const { words } = speech
  const { subject, what, more, button } = words[kind]
  const isHours = minutes % 60 === 0
  const time = isHours ? words.hours({ count: minutes / 60 }) : words.minutes({ count: minutes })
  return letterOf(speech, { subject, what, more: more({ time }) }, { label: button, url: link })
}

/** Returns the mail about an aggregator link (docs/banks/webhooks.md#mails). */
export function writeLinkNotice(
  kind: LinkNoticeKind,
  { institutionName, consentEndsAt, timezone }: LinkNotice,
  { url, ...speech }: Speech & { url: string },
): Letter {
  const { words } = speech
  const institution = institutionName.replaceAll(/\s+/g, ' ').trim() || words.institution
  const { subject, what, more } = words[kind]
  const day = consentEndsAt && dayText(consentEndsAt, timezone, speech)
  const told =
    day === null && kind === 'link-expiring'
      ? words[kind].whatSoon({ institution })
      : what({ institution, day: day ?? '' })
  return letterOf(speech, { subject, what: told, more }, { label: words.open, url })
}

/**
 * Returns the mail about a webhook that was switched off (docs/changes/own-webhooks.md#failures).
 */
export function writeWebhookNotice(
  kind: WebhookNoticeKind,
  host: string,
  { url, ...speech }: Speech & { url: string },
): Letter {
  const { subject, what, more } = speech.words[kind]
  const button = { label: speech.words.open, url }
  return letterOf(speech, { subject, what: what({ host }), more }, button)
}

function dayText(instant: Date, timeZone: string, { locale }: Pick<Speech, 'locale'>): string {
  return instant.toLocaleDateString(locale, { dateStyle: 'full', timeZone })
}

function letterOf(
  { language, greeting, words }: Speech,
  { subject, what, more }: { subject: string; what: string; more: string },
  button: { label: string; url: string } | null,
): Letter {
  return {
    language,
    subject,
    greeting,
    paragraphs: [what, more],
    button: button && { ...button, otherwise: words.orOpen({ url: button.url }) },
  }
}
