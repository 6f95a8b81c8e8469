export const days = {
  calendar: '{label}: choose in a calendar',
  ahead: '{day}, {distance}',
  unread: 'Enter a day, such as {example}, fri or last day.',
} as const
