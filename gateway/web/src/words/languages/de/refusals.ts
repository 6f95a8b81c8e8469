import type { Translation } from '../translation.ts'

export const refusals: Translation<'refusals'> = {
  problems: {
    missing: 'Fülle das aus.',
    unprintable: 'Entferne die Zeichen, die sich nicht anzeigen lassen.',
    notAboveZero: 'Gib einen Betrag über null ein.',
    unreadable: 'Diese Eingabe ist nicht lesbar.',
    tooLarge: 'Der Betrag ist zu groß.',
    email: 'Das ist keine E-Mail-Adresse.',
    upperCase: 'Schreib es in Kleinbuchstaben.',
    taken: 'Dieser Name ist schon vergeben: {found}.',
    tooMuch: 'So viel ist nicht im Umschlag.',
    deposit:
      'Das ist ein Eingang, den kein Umschlag bezahlt: Auf seiner Seite steht, für welchen Umschlag er eine Erstattung ist.',
    sameEnvelope: 'Wähle zwei verschiedene Umschläge.',
    noEnvelope: 'Wähle auf einer Seite einen Umschlag.',
    timezone: 'Wähle eine Zeitzone aus der Liste.',
    currency: 'Wähle eine Währung aus der Liste.',
    past: 'Wähle einen Tag, der nicht vergangen ist.',
    noDate: 'Dafür bleibt kein Tag: Wähle einen späteren.',
    range: 'Der Tag muss zwischen {found} und {last} liegen.',
    address: 'Gib eine Adresse ein, die mit https:// beginnt.',
    code: 'Das ist nicht der aktuelle Code der Authentifizierungs-App.',
    used: 'Das wurde schon benutzt oder gilt nicht mehr.',
    length: 'Nimm {found} bis {last} Zeichen.',
    tooLong: 'Nimm höchstens {found} Zeichen.',
    common: 'Es ist eines der häufigsten Passwörter.',
    csv: 'Das ist keine Datei einer Bank, die hier gelesen werden kann.',
    sheet: 'Das ist eine Tabelle: Gib der Datei einen Namen, der auf .csv, .xlsx oder .ods endet.',
    personal: 'Es ist kaum mehr als dein Name oder deine Adresse.',
  },
  refusals: {
    signIn: 'Die E-Mail-Adresse oder das Passwort stimmt nicht.',
    password: 'Das Passwort stimmt nicht.',
    code: 'Der Code stimmt nicht oder wurde schon benutzt: Warte auf den nächsten.',
    askPassword: 'Gib dein Passwort ein, um fortzufahren.',
    emailTaken: 'Mit dieser E-Mail-Adresse gibt es schon ein Benutzerkonto: Melde dich an.',
    gone: 'Das gibt es nicht mehr: Vielleicht wurde es inzwischen entfernt.',
    paydayInUse: 'Er füllt Umschläge: Wähle für sie zuerst einen anderen Zahltag.',
    ruleEnded: 'Die Wiederholung ist zu Ende: Ändere, wann der Umschlag fällig ist.',
    goal: 'Ein Ziel hat keine Rechnungen: Ändere seinen Tag oder Betrag.',
    busy: 'Der Server ist ausgelastet oder gerade erst gestartet. Versuch es gleich noch einmal.',
    failed: 'Der Server hat einen Fehler. Er liegt bei uns, nicht bei dir.',
    unknown:
      'Es kam keine Antwort, aber vielleicht ist es geschehen: Sieh nach, bevor du es wiederholst.',
    slow: 'Der Server hat zu lange gebraucht. Versuch es noch einmal.',
    fileGone:
      'Die Datei kam nicht vollständig an oder ist nicht mehr da: Wähle sie noch einmal aus.',
    fileTooLarge: 'Die Datei ist größer als 6 MiB: Exportiere einen kürzeren Zeitraum.',
    stillImporting: 'Der Import läuft noch: Mach ihn rückgängig, wenn er fertig ist.',
    nothingToUndo: 'Es gibt nichts rückgängig zu machen.',
  },
  hints: {
    paidWithoutMoving:
      'Der Umschlag hat bezahlt, aber kein Kontostand hat sich bewegt: Frei verfügbar ist jetzt mehr. Ist das Geld vom Konto abgegangen, lösche die Buchung, und füge sie mit Änderung des Kontostands neu hinzu.',
    refundedWithoutMoving:
      'Der Umschlag hat die Erstattung bekommen, aber kein Kontostand hat sich bewegt: Frei verfügbar ist jetzt weniger. Ist das Geld eingegangen, lösche die Buchung, und füge sie mit Änderung des Kontostands neu hinzu.',
    refundedInPart:
      'Der Eingang ist mehr, als Buchungen aus dem Umschlag genommen haben oder noch zu erstatten war: Der Rest ist frei verfügbar.',
    paidInPart: 'Im Umschlag war weniger als der Betrag: Den Rest bezahlt „Frei verfügbar“.',
    notMoved: 'Kein Kontostand hat sich bewegt. Soll er sich bewegen, berichtige Betrag oder Tag.',
    corrected: 'Die Buchung hat keinen Kontostand bewegt, deshalb wurde nur sie selbst berichtigt.',
    added:
      'Die Buchung hatte keinen Kontostand bewegt; ihr Betrag wurde ihm trotzdem gutgeschrieben.',
    kept: 'Der Kontostand bleibt, wie ihn die Buchung bewegt hat.',
    skipped: 'Nicht jeder Monat hat einen {found}.: In kürzeren Monaten fällt der Termin aus.',
  },
  tooOften:
    'Zu viele Versuche. Versuch es in {minutes, plural, one {einer Minute} other {# Minuten}} noch einmal.',
}
