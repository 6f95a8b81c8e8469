import type { Translation } from '../translation.ts'

export const home: Translation<'home'> = {
  title: 'Start',
  available: 'Verfügbar',
  credit: 'Nicht genutzter Kredit',
  owed: 'Geschuldet',
  inCredit: 'Guthaben',
  expenses: 'In Ausgaben',
  goals: 'In Zielen',
  why: 'Warum?',
  whyOf: 'Warum? {name}',
  hideWhy: 'Begründung verbergen',
  hideWhyOf: 'Begründung verbergen: {name}',
  whyAvailable: 'Auf dem Konto sind {available} verfügbar; der gebuchte Kontostand ist {current}.',
  whyOwed: 'Du schuldest {amount}.',
  whyInCredit: 'Die Bank schuldet dir {amount}.',
  whyCredit:
    'Der Kreditrahmen ist {limit}, und {amount} davon sind nicht genutzter Kredit: Die Bank leiht sie, es ist nicht dein Geld.',
  whyPending:
    'Weitere {amount} sind vorgemerkt oder von der Bank zurückgehalten: Sie mindern den nicht genutzten Kredit und sind noch nicht geschuldet.',
  whyUnused: '{amount} bleiben nicht genutzter Kredit.',
  whyExpenses:
    '{count, plural, =0 {{all, plural, =0 {Es gibt keine Ausgaben, für die Geld zurückgelegt ist.} one {Für deine Ausgabe ist noch nichts zurückgelegt.} other {Für deine # Ausgaben ist noch nichts zurückgelegt.}}} one {{amount} davon sind für eine Ausgabe zurückgelegt.} other {{amount} davon sind für # Ausgaben zurückgelegt.}}',
  whyGoals:
    '{count, plural, =0 {{all, plural, =0 {Es gibt keine Ziele, für die Geld zurückgelegt ist.} one {Für dein Ziel ist noch nichts zurückgelegt.} other {Für deine # Ziele ist noch nichts zurückgelegt.}}} one {{amount} davon sind für ein Ziel zurückgelegt.} other {{amount} davon sind für # Ziele zurückgelegt.}}',
  whyFree: '{amount} bleiben frei verfügbar.',
  whyNegative: 'In den Umschlägen sind {amount} mehr, als da ist: Buche Geld aus einem heraus.',
  overdrawn:
    '{rest, select, credit {Der nicht genutzte Kredit ist unter null} other {Unter null}}: Nimm Geld aus einem Umschlag heraus',
  noBalance:
    'Importierte Buchungen bewegen den Kontostand nicht, und er ist noch null. Zeigt die Bank einen anderen, stimmen diese Zahlen nicht:',
  enterBalance: 'Kontostand eintragen',
  balanceOf:
    'Der Kontostand ist vom {day}; seither {isOut, select, true {gingen {amount} ab} other {kamen {amount} dazu}}, durch {isExact, select, true {{count, plural, one {eine importierte Buchung, die ihn nicht bewegt} other {# importierte Buchungen, die ihn nicht bewegen}}} other {die letzten {count} importierten Buchungen, die ihn nicht bewegen}}.',
  changeBalance: 'Kontostand ändern',
  owedOnCard:
    'Geschuldet auf {name}: {amount}. {isHeld, select, true {Im Umschlag ihres Namens sind {held}: Die übrigen {rest} zahlt} other {Kein Umschlag ihres Namens enthält Geld: Alles zahlt}} dann das freie Geld.',
  owedPaid:
    'Geschuldet auf {name}: {amount}. Eine Zahlung über diesen Betrag ging am {day} von diesem Konto ab: War sie für {name}, trage sie dort auch ein oder importiere sie.',
  seeCards: 'Wie eine Karte bezahlt wird',
  lastChanges: 'Die letzten Änderungen',
  lastOfFree: 'Die letzten Änderungen von „Frei verfügbar“',
  behind: 'Im Rückstand',
  dueToday: 'Heute fällig',
  noneBehind: 'Alle Umschläge liegen im Plan.',
  unrecorded: 'Keine Zahlung eingetragen',
  lapsed:
    'Für die Rechnung vom {bill} ist keine Zahlung eingetragen: Seit dem {day} {rest, select, free {sind ihre {amount} frei verfügbar} credit {sind ihre {amount} nicht genutzter Kredit} other {liegen ihre {amount} nicht mehr im Umschlag}}. Fällt sie diesmal aus, ist nichts zu tun.',
  record: 'Ihre Zahlung eintragen',
  short: 'Reicht nicht bis zum Zahltag',
  lacks: 'Für Einkäufe bis zum nächsten Zahltag fehlen {amount}.',
  payday: 'Nächster Zahltag',
  fills:
    'füllt {count, plural, =0 {keinen Umschlag} one {einen Umschlag mit} other {# Umschläge mit}}',
  deposit: 'erwartetes Einkommen:',
  noIncome:
    '{isToday, select, true {Heute ist Zahltag} other {Zuletzt war Zahltag am {day}}}, und ein Einkommen von etwa {amount} ist noch nicht da. {isFilled, select, true {Die Umschläge sind trotzdem gefüllt: } other {}}Bis es kommt, {rest, select, free {ist weniger frei verfügbar} credit {ist weniger Kredit ungenutzt} other {kann darin mehr sein, als da ist}}.',
  noPayday: 'Kein Zahltag ist geplant, also füllt nichts die Umschläge.',
  unassigned: 'Noch ohne Umschlag',
  unassignedText:
    '{rest, select, free {Solange du keinen Umschlag wählst, zahlt „Frei verfügbar“. Was du frei verfügbar lässt, verlässt diese Liste.} file {Zahlungen aus einer Datei bewegen den Kontostand nicht von selbst, und kein Umschlag zahlt, solange du keinen wählst. Was du ohne Umschlag lässt, verlässt diese Liste.} other {Solange du keinen Umschlag wählst, zahlt auch keiner. Was du ohne Umschlag lässt, verlässt diese Liste.}}',
  unassignedAll:
    '{isExact, select, true {{count, plural, one {Unter den Buchungen zeigen} other {Alle # Zahlungen zeigen, die auf einen Umschlag warten}}} other {Alle Zahlungen zeigen, die auf einen Umschlag warten: {count, plural, other {#}} oder mehr}}',
  unassignedNone: 'Keine Zahlung wartet auf einen Umschlag.',
  assign: 'Umschlag für {name}',
  assigned: '{name}: aus dem Umschlag „{envelope}“.',
  assignedEmpty:
    '{name}: aus dem Umschlag „{envelope}“. Er ist leer, also {rest, select, owed {wird alles geschuldet} credit {kommt alles aus dem nicht genutzten Kredit} file {zahlt er nichts} other {kommt alles aus „Frei verfügbar“}}.',
  assignedPart:
    '{name}: aus dem Umschlag „{envelope}“. Darin waren {amount}{rest, select, owed {; der Rest wird geschuldet} credit {; der Rest kommt aus dem nicht genutzten Kredit} file {, mehr zahlt er nicht} other {; der Rest kommt aus „Frei verfügbar“}}.',
  assignedOlder:
    '{name}: {amount} aus dem Umschlag „{envelope}“. Die Zahlung ist älter als der Umschlag, den es seit dem {day} gibt: Ist sein Geld für später, nimm es zurück.',
  assignedFormer:
    '{name}: {amount} aus dem Umschlag „{envelope}“. Die Zahlung ist von einem Tag vor dem {day}, an dem die letzte Rechnung fällig war: Ist sein Geld für die kommende Rechnung, nimm es zurück.',
  leaveFree: '{rest, select, free {Frei verfügbar} other {Ohne Umschlag}} lassen',
  leftFree:
    '{name} bleibt ohne Umschlag{rest, select, free {: „Frei verfügbar“ hat es bezahlt} other {}}.',
  countsAsBill: 'Das zählt auch als die Rechnung vom {day}, die nun bezahlt ist.',
  maybeBill:
    'War es die Rechnung vom {day}, markiere sie als bezahlt: Sonst sparen Zahltage noch einmal dafür.',
  older:
    '{areAll, select, true {Sie alle} other {Einige davon}} sind vor dem {day} bezahlt, als dein erster Umschlag begann. Sie sind schon bezahlt: Zahlt sie ein Umschlag, fehlt darin Geld für spätere Rechnungen.',
  leaveOlder:
    '{rest, select, free {Diese frei verfügbar lassen} other {Diese ohne Umschlag lassen}}',
  keys: 'Tasten für die markierte Zahlung:',
  chooseEnvelope: 'Wählen …',
}
