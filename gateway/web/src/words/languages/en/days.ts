export const days = {
  calendar: '{label}: choose in a calendar',
  unread: 'Enter a day, such as {example}, fri or last day.',
} as const
