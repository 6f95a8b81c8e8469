import type { Translation } from '../translation.ts'

export const billing: Translation<'billing'> = {
  title: 'Abonnement',
  text: 'Dieses Benutzerkonto braucht ein Abonnement. Alles, was du eingegeben hast, bleibt.',
  subscribe: 'Abonnieren',
  portal: 'Abonnement ändern oder beenden',
  after: 'Vielen Dank',
  active: 'Das Abonnement ist aktiv.',
  notActive: 'Die Zahlung ist noch nicht durch. Diese Seite sieht von selbst wieder nach.',
  toHome: 'Zu deinem Budget',
  none: 'Dieser Server braucht kein Abonnement.',
}
