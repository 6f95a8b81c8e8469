import type { Translation } from '../translation.ts'

export const links: Translation<'links'> = {
  title: 'Deine Bank verbinden',
  titleUpdate: 'Verbindung erneuern',
  steps: {
    opening: 'Plaid wird geöffnet.',
    open: 'Melde dich im Fenster von Plaid bei deiner Bank an. Dein Passwort dort sieht Coffer nie.',
    storing: 'Die Verbindung wird gespeichert.',
    syncing:
      'Deine Konten sind verbunden. Ihre Buchungen werden gelesen; das kann eine Minute dauern und läuft auch ohne diese Seite weiter.',
  },
  left: 'Du hast das Fenster von Plaid verlassen. Es hat sich nichts geändert.',
  again: 'Noch einmal öffnen',
  back: 'Zurück zu den Konten',
  signIn: 'Anmelden',
  signedOut: 'Deine Sitzung ist beendet: Melde dich an, dann kommst du hierher zurück.',
  failed: 'Die Bank konnte nicht verbunden werden.',
  blocked:
    'Das Skript von Plaid wurde nicht geladen. Vielleicht hält es ein Blocker des Browsers auf: Erlaube cdn.plaid.com.',
}
