export const forecastWords = {
  title: 'Forecast',
  free: 'Free to use',
  horizon: 'Look ahead',
  horizons: { 1: '1 month', 3: '3 months', 6: '6 months', 12: '12 months' } as Record<
    string,
    string
  >,
  lowest: (amount: string, day: string) => `Lowest: ${amount} on ${day}.`,
  negative: (day: string) => `Below zero from ${day}.`,
  chart: 'Free to use over time; the arrow keys go from change to change',
  lines: 'Lines of envelopes',
  none: 'Nothing is planned, so nothing changes. Plan a payday first.',
  table: 'Changes of free to use',
  day: 'Day',
  change: 'What happens',
  after: 'Free to use',
  envelopes: 'In envelopes',
  now: 'Now',
  deposit: (amount: string) => `pay of ${amount}`,
  contribution: (amount: string) => `${amount} into envelopes`,
  paid: (amount: string) => `${amount} for bills that envelopes do not hold`,
  due: (names: string) => `due: ${names}`,
}
