export const help = {
  title: 'Help',
  onScreen: 'Help on this screen',
  all: 'All pages',
  next: 'Next:',
  keys: 'On a keyboard, ? shows all keys.',
  pages: {
    'first-day': 'The first day',
    envelopes: 'Envelopes',
    paydays: 'Paydays',
    bills: 'Bills, early and late',
    cards: 'Cards and loans',
    refunds: 'Refunds and mistakes',
    files: 'Files of a bank',
    rules: 'Rules',
    tags: 'Tags',
    forecast: 'The forecast',
  },
} as const
