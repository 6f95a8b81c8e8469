const owner =
  'If that was not you, ask for a new password at once, and tell the operator of this server.'

const verified = 'The link works once, for {time}. If it was not you, nothing needs to be done.'

const nothingLost =
  'Nothing is lost: the changes are kept for 30 days. Mend the program behind it, switch the webhook on again, and let Coffer send the changes since then once more.'

/** Texts of mails in English. */
export const texts = {
  greeting: 'Hello,',
  greetingBy: 'Hello {name},',
  open: 'Open Coffer',
  orOpen: 'Or open {url}',
  institution: 'your institution',
  hours: '{count, plural, one {1 hour} other {# hours}}',
  minutes: '{count, plural, one {1 minute} other {# minutes}}',
  'verify-email': {
    subject: 'Verify your email address',
    what: 'Somebody registered at Coffer with this email address. If that was you, verify it here.',
    more: verified,
    button: 'Verify email address',
  },
  'change-email': {
    subject: 'Verify your new email address',
    what: 'Somebody gave a Coffer login this email address. If that was you, verify it here.',
    more: verified,
    button: 'Verify email address',
  },
  'reset-password': {
    subject: 'Reset your password',
    what: 'Somebody asked for a new password for your Coffer login. If that was you, set it here.',
    more: 'The link works once, for {time}. If it was not you, nothing needs to be done: your password stays as it is.',
    button: 'Set a new password',
  },
  'password-changed': {
    subject: 'Your password was changed',
    what: 'The password of your Coffer login was changed, and every other session has ended.',
    more: owner,
  },
  'authenticator-enabled': {
    subject: 'An authenticator was enabled',
    what: 'Signing in to Coffer now takes a code of it, and every other session has ended.',
    more: owner,
  },
  'authenticator-disabled': {
    subject: 'Your authenticator was disabled',
    what: 'Signing in to Coffer takes your password alone now, and every other session has ended.',
    more: owner,
  },
  'recovery-codes-renewed': {
    subject: 'Your recovery codes were renewed',
    what: 'Your Coffer login has new recovery codes, and the former ones stopped working.',
    more: owner,
  },
  'wrong-codes': {
    subject: 'Wrong codes were entered for your login',
    what: 'Five wrong codes were entered as the second factor of your Coffer login, by a client that has its password or an open session. Codes are refused for a while, longer each time.',
    more: owner,
  },
  'second-factor-locked': {
    subject: 'Your second factor is locked',
    what: 'After 100 wrong codes in a row Coffer takes neither codes of your authenticator nor recovery codes. A new password, set by the link of a mail, unlocks them.',
    more: owner,
  },
  'email-change-requested': {
    subject: 'A new email address was stated',
    what: 'Your Coffer login gets another email address once a link mailed to that one is used.',
    more: owner,
  },
  'email-changed': {
    subject: 'Your email address was changed',
    what: 'The email address of your Coffer login is another one now: this one gets no more mail.',
    more: owner,
  },
  'trial-ending': {
    subject: 'Your trial is about to end',
    what: 'The trial of your Coffer account ends {days, plural, =0 {in less than a day} one {in 1 day} other {in # days}}, on {day}.',
    more: 'After that your account waits for you, and nothing is deleted: sign in and subscribe to go on as before.',
  },
  'trial-ended': {
    subject: 'Your trial has ended',
    what: 'The trial of your Coffer account ended on {day}.',
    more: 'Your account waits for you, and nothing is deleted: sign in and subscribe to go on as before.',
  },
  'link-expiring': {
    subject: 'A link to your bank is about to end',
    what: 'Your consent that Coffer reads your accounts at {institution} ends on {day}.',
    whatSoon: 'Your consent that Coffer reads your accounts at {institution} ends soon.',
    more: 'Open Coffer before then and update the connection of the link, so that new transactions still arrive.',
  },
  'link-broken': {
    subject: 'A link to your bank needs you',
    what: 'Coffer can no longer read your accounts at {institution}: it asks you to sign in again, or the access was revoked there.',
    more: 'Your data in Coffer stays as it is. Open Coffer and update the connection of the link; if that does not help, link the institution again.',
  },
  'webhook-failing': {
    subject: 'A webhook was switched off',
    what: 'Coffer no longer sends changes to your webhook at {host}: it has answered no request for three days.',
    more: nothingLost,
  },
  'webhook-gone': {
    subject: 'A webhook was switched off',
    what: 'Coffer no longer sends changes to your webhook at {host}: it has answered that it no longer exists (410).',
    more: nothingLost,
  },
} as const
