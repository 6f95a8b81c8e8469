import { foldText } from '@coffer/kit/values/fold'

/** Words for opening and closing balances and for turnovers, as programs and banks write them. */
const written = [
  'balance, saldo, solde, kontostand, kontosaldo, stav účtu, egyenleg, bakiye, υπόλοιπο, остаток',
  'opening balance, starting balance, beginning balance, initial balance, previous balance',
  'balance brought forward, brought forward, balance forward, closing balance, ending balance',
  'final balance, balance carried forward, carried forward, turnover',
  'Eröffnungssaldo, Anfangssaldo, Anfangsbestand, Anfangsstand, Endsaldo, Schlusssaldo',
  'Abschlusssaldo, Endbestand, Schlussbestand, alter Kontostand, neuer Kontostand',
  "solde initial, solde d'ouverture, solde douverture, solde précédent, balance initiale",
  'report à nouveau, solde final, solde de clôture',
  'saldo inicial, saldo de apertura, saldo apertura, saldo anterior, saldo final',
  'saldo iniziale, saldo di apertura, saldo precedente, saldo finale',
  'saldo otwarcia, saldo początkowe, saldo końcowe, saldo zamknięcia',
  'beginsaldo, openingssaldo, beginbalans, eindsaldo, eindbalans',
  'ingående saldo, ingående balans, utgående saldo, utgående balans',
  'inngående saldo, åpningssaldo, åpningsbalanse, utgående saldo, sluttsaldo',
  'åbningssaldo, åbningsbalance, primosaldo, startsaldo, slutsaldo, ultimosaldo',
  'alkusaldo, loppusaldo, algsaldo, lõppsaldo, käive',
  'likutis pradžiai, likutis pabaigai, apyvarta, sākuma atlikums, beigu atlikums, apgrozījums',
  'počáteční stav, počáteční zůstatek, konečný stav, konečný zůstatek',
  'počiatočný stav, počiatočný zostatok, začiatočný zostatok, konečný zostatok',
  'nyitó egyenleg, nyitóegyenleg, záró egyenleg, záróegyenleg',
  'sold inițial, sold final, početno stanje, završno stanje, začetno stanje, končno stanje',
  'начальный остаток, входящий остаток, начальное сальдо, входящее сальдо',
  'конечный остаток, исходящий остаток, исходящее сальдо, обороты',
  'початковий залишок, вхідний залишок, вихідний залишок, начално салдо, крайно салдо',
  'αρχικό υπόλοιπο, υπόλοιπο έναρξης, τελικό υπόλοιπο',
  'açılış bakiyesi, devreden bakiye, kapanış bakiyesi',
  '期首残高, 開始残高, 前期繰越, 期末残高, 期初余额, 上期余额, 期末余额, 기초 잔액, 기말 잔액',
]

const words = new Set(written.flatMap((line) => line.split(', ').map(folded)))

/** Returns whether a text, as a whole, names a balance or a turnover in place of a booking. */
export function namesBalance(text: string): boolean {
  return words.has(folded(text))
}

/** Returns a folded text, without curly apostrophes and a mark at its end. */
function folded(text: string): string {
  return foldText(text.replace('’', "'").replace(/[\s:.]+$/u, ''))
}
