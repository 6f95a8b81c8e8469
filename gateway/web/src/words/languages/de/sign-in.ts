import type { Translation } from '../translation.ts'

export const signIn: Translation<'signIn'> = {
  product: 'Coffer',
  promise: 'Sieh, was frei verfügbar ist, bevor du es ausgibst.',
  languages: 'Sprache der App',
  signIn: 'Anmelden',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  passwordHint: '8 bis 72 Zeichen; ein Satz ist gut.',
  forgotten: 'Passwort vergessen?',
  noLogin: 'Neu hier?',
  register: 'Zugang anlegen',
  haveLogin: 'Schon einen Zugang?',
  firstName: 'Vorname',
  lastName: 'Nachname',
  optional: 'freiwillig',
  betaCode: 'Beta-Code',
  timezone: 'Deine Zeitzone',
  timezoneHint: 'Zahlungen und Fälligkeiten liegen auf den Tagen dieser Zeitzone.',
  locale: 'Schreibweise von Tagen und Beträgen',
  localeHint: 'Texte und die Namen der Tage sind in der Sprache der App.',
  foreignDevice:
    'Das ist nicht mein Gerät: hier nichts behalten, und mich nach 12 Stunden abmelden',
  working: 'Einen Moment: Dein Browser löst eine kleine Aufgabe, die Roboter fernhält.',
  secondFactor: 'Code eingeben',
  secondFactorText:
    'Öffne deine Authentifizierungs-App, und gib den Code ein, den sie für Coffer zeigt.',
  code: 'Sechsstelliger Code',
  recovery: 'Stattdessen einen Wiederherstellungscode nehmen',
  recoveryText:
    'Gib einen der Wiederherstellungscodes ein, die du aufbewahrt hast. Jeder gilt einmal.',
  recoveryWrong:
    'Der Wiederherstellungscode stimmt nicht oder wurde schon benutzt. Gib einen anderen deiner Codes ein.',
  recoveryCode: 'Wiederherstellungscode',
  authenticator: 'Stattdessen die Authentifizierungs-App nehmen',
  continue: 'Weiter',
  startAgain: 'Als andere Person anmelden',
  deleted: 'Dein Benutzerkonto ist gelöscht, mit allem, was dazugehörte.',
  wrong: 'Die E-Mail-Adresse oder das Passwort stimmt nicht.',
  endedTitle: 'Du wurdest abgemeldet',
  endedText:
    '{reason, select, time {Deine Sitzung endete am {at}, {isForeign, select, true {12 Stunden} other {14 Tage}} nach der Anmeldung.} tab {Du hast dich in einem anderen Tab abgemeldet.} person {In einem anderen Tab hat sich eine andere Person angemeldet.} other {Deine Sitzung ist beendet, nach einigen Tagen ohne Benutzung oder von einem anderen Gerät aus.}} Melde dich an, um weiterzumachen: Alles, was du eingetippt hast, ist noch da.',
  renewTitle: 'Noch einmal anmelden',
  renewText:
    'Die neue Sitzung dauert 14 Tage, auf einem fremden Gerät 12 Stunden. Der Bildschirm bleibt, wie er ist.',
  renewLater: 'Später',
  ended:
    'Du wurdest {isHere, select, true {in einem anderen Tab abgemeldet.} other {abgemeldet: {isForeign, select, true {12 Stunden} other {14 Tage}} nach der Anmeldung, nach einigen Tagen ohne Benutzung oder von einem anderen Gerät aus.}} Melde dich an, um dort weiterzumachen, wo du warst.',
  forgottenTitle: 'Neues Passwort anfordern',
  resetSend: 'Link für ein neues Passwort schicken',
  resetSent: 'Falls ein Zugang diese Adresse hat, ist eine Mail mit einem Link unterwegs.',
  resetOff:
    'Dieser Server verschickt keine Links für neue Passwörter. Frag die Person, die ihn betreibt: Sie kann dir einen geben.',
  newPassword: 'Neues Passwort setzen',
  newPasswordText: 'Bevor es weitergeht, musst du dein Passwort ändern.',
  verify: 'Sieh in dein Postfach',
  verifyText:
    'Eine Mail mit einem Link ist unterwegs an {email}. Öffne den Link, und melde dich dann an.',
  notVerified:
    'Diese Adresse ist noch nicht bestätigt. Folge dem Link in der Mail, die wir geschickt haben.',
  resendTitle: 'Adresse bestätigen',
  resent: 'Falls die Adresse auf ihre Bestätigung wartet, ist eine neue Mail unterwegs.',
  resend: 'Mail noch einmal schicken',
  closed: 'Dieser Server nimmt keine neuen Zugänge an.',
  showPassword: 'Zeigen',
  hidePassword: 'Verbergen',
}
