import type { Translation } from '../translation.ts'

export const forecast: Translation<'forecast'> = {
  title: 'Prognose',
  rests: { free: 'Frei verfügbar', credit: 'Nicht genutzter Kredit', owed: 'Geschuldet' },
  horizon: 'Blick voraus',
  horizons: { 1: '1 Monat', 3: '3 Monate', 6: '6 Monate', 12: '12 Monate' },
  lowest: '{rest, select, owed {Höchststand} other {Tiefpunkt}}: {amount} am {day}.',
  negative: 'Unter null ab {day}.',
  noIncome:
    'Das Einkommen von etwa {amount} vom {day} ist noch nicht da, und die Prognose zählt es nicht mit. Sobald es da ist, {rest, select, owed {wird an jedem Tag weniger geschuldet} other {ist jeder Betrag um so viel höher}}.',
  lowestNow: '{rest, select, owed {Mehr} other {Weniger}} als jetzt wird es nicht.',
  whyNow:
    '{rest, select, owed {Jetzt schuldest du {amount}.} credit {Jetzt sind {amount} nicht genutzter Kredit.} other {Jetzt sind {amount} frei verfügbar.}}',
  whyDeposit: 'Bis dahin kommen {amount} erwartetes Einkommen herein.',
  whyContribution: '{amount} gehen an Zahltagen in Umschläge.',
  whyPaid: '{amount} zahlen den Teil von Rechnungen, den Umschläge nicht decken.',
  whyLowest: '{rest, select, owed {Dann schuldest du {amount}.} other {Es bleiben {amount}.}}',
  chart:
    '{rest, select, owed {Geschuldet} credit {Nicht genutzter Kredit} other {Frei verfügbar}} im Zeitverlauf; die Pfeiltasten gehen von Änderung zu Änderung',
  lines: 'Linien der Umschläge',
  none: 'Nichts ist geplant, also ändert sich nichts. Plane zuerst einen Zahltag.',
  noneOfDebt:
    'Hier ist nichts geplant, also ändert sich nichts. Die Prognose des Kontos, von dem diese Karte oder dieser Kredit bezahlt wird, enthält die Rechnung, wenn dort ein Umschlag dafür ist.',
  table:
    'Änderungen von {rest, select, owed {„Geschuldet“} credit {„Nicht genutzter Kredit“} other {„Frei verfügbar“}}',
  day: 'Tag',
  change: 'Was passiert',
  envelopes: 'In Umschlägen',
  now: 'Jetzt',
  deposit: 'Einkommen {amount}',
  contribution: '{amount} in Umschläge',
  paid: '{amount} für Rechnungen, die kein Umschlag deckt',
  download: 'Als CSV-Datei',
  print: 'Drucken',
  columns: ['Tag', 'Einkommen', 'In Umschläge', 'Ungedeckte Rechnungen'],
  due: 'fällig: {names}',
  spentBy: 'bis dahin ausgegeben: {names}',
  usually: 'Spätere Zahltage legen meist {usual} in Umschläge.',
  differs: 'Dieser weicht ab, weil in {names} schon Geld ist, oder weil sie anders fällig sind.',
  ofFirst: 'legt der erste Zahltag {amount} in Umschläge',
  shared:
    '{name}: {amount}, später meist {usual}. Darin sind {held} von {needed}; was bis {day} fehlt, {paydays, plural, =0 {teilen sich alle Zahltage davor} one {kommt ganz von diesem Zahltag} other {teilen sich # Zahltage}}.',
  full: '{name}: nichts, später meist {usual}. Die {needed} bis {day} sind schon darin.',
  dueFirst:
    '{name}: {amount}, später meist {usual}. Darin sind dann noch {held}; {needed} werden vor dem Zahltag danach gebraucht.',
}
