export const forecast = {
  title: 'Forecast',
  rests: { free: 'Free to use', credit: 'Unused credit', owed: 'Owed' },
  horizon: 'Look ahead',
  horizons: {
    1: '1 month',
    3: '3 months',
    6: '6 months',
    12: '12 months',
  },
  lowest: '{rest, select, owed {Most owed} other {Lowest}}: {amount} on {day}.',
  negative: 'Below zero from {day}.',
  noIncome:
    'The pay of about {amount} of {day} has not come in yet, and the forecast does not count it. Once it is there, {rest, select, owed {less is owed on every day} other {every amount is higher by it}}.',
  lowestNow: 'It does not {rest, select, owed {rise above} other {fall below}} what it is now.',
  whyNow:
    '{rest, select, owed {You owe {amount} now.} credit {Now {amount} is unused credit.} other {Now {amount} is free to use.}}',
  whyDeposit: 'Until then {amount} of expected pay comes in.',
  whyContribution: '{amount} goes into envelopes at paydays.',
  whyPaid: '{amount} pays the part of bills that envelopes do not hold.',
  whyLowest: '{rest, select, owed {Then you owe {amount}.} other {That leaves {amount}.}}',
  chart:
    '{rest, select, owed {Owed} credit {Unused credit} other {Free to use}} over time; the arrow keys go from change to change',
  lines: 'Lines of envelopes',
  none: 'Nothing is planned, so nothing changes. Plan a payday first.',
  noneOfDebt:
    'Nothing is planned here, so nothing changes. The forecast of the account that pays this card or loan includes its bill, if an envelope there is for it.',
  table:
    'Changes of {rest, select, owed {what is owed} credit {unused credit} other {free to use}}',
  day: 'Day',
  change: 'What happens',
  envelopes: 'In envelopes',
  now: 'Now',
  deposit: 'pay of {amount}',
  contribution: '{amount} into envelopes',
  paid: '{amount} for bills that envelopes do not hold',
  download: 'As a CSV file',
  print: 'Print',
  columns: ['Day', 'Pay', 'Into envelopes', 'Bills without money'],
  due: 'due: {names}',
  spentBy: 'spent until then: {names}',
  usually: 'Later paydays usually put {usual} into envelopes.',
  differs: 'This one differs, because of what is in {names} already, or when they are due.',
  ofFirst: 'the first payday puts {amount} into envelopes',
  shared:
    '{name}: {amount}, later usually {usual}. It holds {held} of {needed}; what is missing until {day} is shared by {paydays, plural, =0 {all paydays before} one {this payday alone} other {# paydays}}.',
  full: '{name}: nothing, later usually {usual}. It already holds the {needed} for {day}.',
  dueFirst:
    '{name}: {amount}, later usually {usual}. It still holds {held} then, and {needed} is needed before the payday after.',
} as const
