/** Texts of suggested rules. */
export const suggestionWords = {
  title: 'Suggested',
  about: 'Payments that come again and again. One click makes the rule for all of them.',
  list: 'Suggested rules',
  ofThis: 'The same for those like it?',
  counts: (matched: number, changed: number, edited: number) =>
    `${matched} like this, ${changed} would change` +
    (edited > 0 ? `; ${edited} with changes of yours, which stay.` : '.'),
  envelopeOf: (name: string) => `Envelope for ${name}`,
  accept: 'Make the rule',
  acceptOf: (name: string) => `Make the rule: ${name}`,
  preview: 'Preview',
  previewOf: (name: string) => `Preview: ${name}`,
  change: 'Change it first',
  changeOf: (name: string) => `Change it first: ${name}`,
  dismiss: 'Dismiss',
  dismissOf: (name: string) => `Dismiss: ${name}`,
  dismissed: 'It is not suggested again.',
  more: 'Show more',
}
