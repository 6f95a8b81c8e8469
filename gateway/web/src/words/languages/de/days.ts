import type { Translation } from '../translation.ts'

export const days: Translation<'days'> = {
  calendar: '{label}: im Kalender wählen',
  ahead: '{day}, {distance}',
  unread: 'Gib einen Tag ein, etwa {example}, „fr“ oder „letzter Tag“.',
}
