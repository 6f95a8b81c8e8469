import type { Translation } from '@coffer/kit/values/messages'
import type { texts as english } from './en.ts'

const owner =
  'Warst das nicht du, fordere sofort ein neues Passwort an, und sag es dem Betreiber dieses Servers.'

const verified = 'Der Link funktioniert einmal, {time} lang. Warst das nicht du, ist nichts zu tun.'

const nothingLost =
  'Nichts ist verloren: Die Änderungen werden 30 Tage aufbewahrt. Bring das Programm dahinter in Ordnung, schalte den Webhook wieder ein, und lass Coffer die Änderungen seitdem noch einmal senden.'

/** Texts of mails in German. */
export const texts: Translation<typeof english> = {
  greeting: 'Hallo,',
  greetingBy: 'Hallo {name},',
  open: 'Coffer öffnen',
  orOpen: 'Oder öffne {url}',
  institution: 'deiner Bank',
  hours: '{count, plural, one {eine Stunde} other {# Stunden}}',
  minutes: '{count, plural, one {eine Minute} other {# Minuten}}',
  'verify-email': {
    subject: 'Bestätige deine E-Mail-Adresse',
    what: 'Mit dieser E-Mail-Adresse wurde bei Coffer ein Zugang angelegt. Warst das du, bestätige sie hier.',
    more: verified,
    button: 'E-Mail-Adresse bestätigen',
  },
  'change-email': {
    subject: 'Bestätige deine neue E-Mail-Adresse',
    what: 'Für einen Zugang zu Coffer wurde diese E-Mail-Adresse angegeben. Warst das du, bestätige sie hier.',
    more: verified,
    button: 'E-Mail-Adresse bestätigen',
  },
  'reset-password': {
    subject: 'Setze dein Passwort neu',
    what: 'Für deinen Zugang zu Coffer wurde ein neues Passwort angefordert. Warst das du, lege es hier fest.',
    more: 'Der Link funktioniert einmal, {time} lang. Warst das nicht du, ist nichts zu tun: Dein Passwort bleibt, wie es ist.',
    button: 'Neues Passwort festlegen',
  },
  'password-changed': {
    subject: 'Dein Passwort wurde geändert',
    what: 'Das Passwort deines Zugangs zu Coffer wurde geändert, und alle anderen Sitzungen sind beendet.',
    more: owner,
  },
  'authenticator-enabled': {
    subject: 'Eine Authentifizierungs-App wurde eingerichtet',
    what: 'Die Anmeldung bei Coffer verlangt jetzt einen Code von ihr, und alle anderen Sitzungen sind beendet.',
    more: owner,
  },
  'authenticator-disabled': {
    subject: 'Deine Authentifizierungs-App wurde entfernt',
    what: 'Die Anmeldung bei Coffer verlangt jetzt nur noch dein Passwort, und alle anderen Sitzungen sind beendet.',
    more: owner,
  },
  'recovery-codes-renewed': {
    subject: 'Deine Wiederherstellungscodes wurden erneuert',
    what: 'Dein Zugang zu Coffer hat neue Wiederherstellungscodes; die bisherigen gelten nicht mehr.',
    more: owner,
  },
  'wrong-codes': {
    subject: 'Für deinen Zugang wurden falsche Codes eingegeben',
    what: 'Fünf falsche Codes wurden als zweiter Faktor deines Zugangs zu Coffer eingegeben, von einem Gerät, das dein Passwort kennt oder eine offene Sitzung hat. Codes werden eine Weile abgelehnt, jedes Mal länger.',
    more: owner,
  },
  'second-factor-locked': {
    subject: 'Dein zweiter Faktor ist gesperrt',
    what: 'Nach 100 falschen Codes in Folge nimmt Coffer weder Codes deiner Authentifizierungs-App noch Wiederherstellungscodes an. Ein neues Passwort, über den Link einer E-Mail festgelegt, entsperrt sie.',
    more: owner,
  },
  'email-change-requested': {
    subject: 'Eine neue E-Mail-Adresse wurde angegeben',
    what: 'Dein Zugang zu Coffer bekommt eine andere E-Mail-Adresse, sobald der Link benutzt wird, der an sie geschickt wurde.',
    more: owner,
  },
  'email-changed': {
    subject: 'Deine E-Mail-Adresse wurde geändert',
    what: 'Dein Zugang zu Coffer hat jetzt eine andere E-Mail-Adresse: An diese hier kommt keine Post mehr.',
    more: owner,
  },
  'trial-ending': {
    subject: 'Deine Probezeit endet bald',
    what: 'Die Probezeit deines Benutzerkontos bei Coffer endet {days, plural, =0 {in weniger als einem Tag} one {in einem Tag} other {in # Tagen}}, am {day}.',
    more: 'Danach wartet dein Benutzerkonto auf dich, und nichts wird gelöscht: Melde dich an und abonniere, um weiterzumachen wie bisher.',
  },
  'trial-ended': {
    subject: 'Deine Probezeit ist zu Ende',
    what: 'Die Probezeit deines Benutzerkontos bei Coffer endete am {day}.',
    more: 'Dein Benutzerkonto wartet auf dich, und nichts wird gelöscht: Melde dich an und abonniere, um weiterzumachen wie bisher.',
  },
  'link-expiring': {
    subject: 'Eine Verbindung zu deiner Bank läuft bald ab',
    what: 'Deine Einwilligung, dass Coffer deine Konten bei {institution} liest, endet am {day}.',
    whatSoon: 'Deine Einwilligung, dass Coffer deine Konten bei {institution} liest, endet bald.',
    more: 'Öffne Coffer vorher und erneuere die Verbindung, damit weiterhin neue Buchungen ankommen.',
  },
  'link-broken': {
    subject: 'Eine Verbindung zu deiner Bank braucht dich',
    what: 'Coffer kann deine Konten bei {institution} nicht mehr lesen: Die Bank verlangt eine neue Anmeldung, oder der Zugriff wurde dort widerrufen.',
    more: 'Deine Daten in Coffer bleiben, wie sie sind. Öffne Coffer und erneuere die Verbindung; hilft das nicht, verbinde die Bank noch einmal.',
  },
  'webhook-failing': {
    subject: 'Ein Webhook wurde ausgeschaltet',
    what: 'Coffer sendet keine Änderungen mehr an deinen Webhook bei {host}: Er hat drei Tage lang keine Anfrage beantwortet.',
    more: nothingLost,
  },
  'webhook-gone': {
    subject: 'Ein Webhook wurde ausgeschaltet',
    what: 'Coffer sendet keine Änderungen mehr an deinen Webhook bei {host}: Er hat geantwortet, dass es ihn nicht mehr gibt (410).',
    more: nothingLost,
  },
}
