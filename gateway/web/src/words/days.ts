export const dayWords = {
  calendar: (label: string) => `${label}: choose in a calendar`,
  unread: (example: string) => `Enter a day, such as ${example}, fri or last day.`,
}
