export const ruleSuggestions = {
  title: 'Suggested',
  about: 'Payments that come again and again. One click makes the rule for all of them.',
  list: 'Suggested rules',
  ofThis: 'The same for those like it?',
  counts:
    '{matched} like this, {changed} would change{edited, plural, =0 {.} other {; # with changes of yours, which stay.}}',
  envelopeOf: 'Envelope for {name}',
  accept: 'Make the rule',
  acceptOf: 'Make the rule: {name}',
  preview: 'Preview',
  previewOf: 'Preview: {name}',
  change: 'Change it first',
  changeOf: 'Change it first: {name}',
  dismiss: 'Dismiss',
  dismissOf: 'Dismiss: {name}',
  dismissed: 'It is not suggested again.',
  more: 'Show more',
} as const
