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
  'saldo do dia, saldo atual, saldo total, neuer saldo, alter saldo, saldo konto',
  'closing bal, opening bal, bal b/f, bal c/f, b/f, c/f, balance b/f, balance c/f, zůstatek',
  'zostatok, stan początkowy, stan końcowy, kezdő egyenleg, devir, остаток на начало',
  'остаток на конец, 残高, 前月繰越, 繰越',
  '期首残高, 開始残高, 前期繰越, 期末残高, 期初余额, 上期余额, 期末余额, 기초 잔액, 기말 잔액',
  'saldo dia, saldo diário, saldo disponível, saldo total disponível, saldo disponível dia',
  'saldo total disponível dia, saldo total disponível do dia, saldo actual, saldo aplic aut mais',
  'saldo em conta, saldo em conta corrente, saldo em c/c, saldo parcial, saldo final do dia',
  'saldo inicial do dia, saldo na data, saldo nesta data',
  'saldo del día, saldo disponible, saldo giornaliero, solde du jour, daily balance',
  'current balance, available balance, Tagessaldo, aktueller Kontostand, dagsaldo',
]

/** Words for totals. Some are also names of shops, so a match alone does not prove a total. */
const writtenTotals = [
  'total, totals, grand total, subtotal, sum, total debits, total credits, total amount',
  'summe, gesamt, gesamtsumme, gesamtbetrag, zwischensumme, endsumme, summe soll, summe haben',
  'total général, sous-total, somme, total des opérations, total débit, total crédit',
  'suma, suma total, total general, total movimientos, totale, totale generale, totale movimenti',
  'soma, total geral, totaal, subtotaal, eindtotaal, totalt, summa, i alt, sum total, yhteensä',
  'razem, suma operacji, celkem, spolu, súčet, součet, összesen, végösszeg, ukupno, skupaj, общо',
  'kokku, kopā, viso, iš viso, итого, всего, итог, разом, усього, σύνολο, toplam, genel toplam',
  'סה"כ, المجموع, الإجمالي, 合計, 総計, 小計, 合计, 总计, 小计, 總計, 합계, 총계, 소계',
]

const words = wordsIn(written)
const totals = wordsIn(writtenTotals)

/** A full date after a word for a balance, as in `Saldo vom 31.12.2026`. */
const DATED = new RegExp(
  '\\s+(?:(?:vom|per|zum|am|on|at|as of|le|au|al|del|a|op|em|em:|dia|dne|z dnia|na dzień)\\s+)?' +
    '(?:\\d{1,2}[./-]\\d{1,2}[./-]\\d{2,4}|\\d{4}-\\d\\d-\\d\\d)$',
  'iu',
)
const MENTION =
  /(?<!\p{L})(?:saldo|sdo|balance|solde|kontostand|kontosaldo|сальдо|остаток)(?!\p{L})/iu

/**
 * Returns whether a text is nothing but a word for a balance or turnover, with or without a date:
 * its row is no booking.
 */
export function namesBalance(text: string): boolean {
  return words.has(folded(text)) || (DATED.test(text) && words.has(folded(text.replace(DATED, ''))))
}

/** Returns whether a text contains a word for a balance. Texts of bookings may contain one, too. */
export function mentionsBalance(text: string): boolean {
  return MENTION.test(text)
}

/** Returns whether the whole text is a word for a total, or the name of a shop that equals one. */
export function namesTotal(text: string): boolean {
  return totals.has(folded(text))
}

/** Returns folded phrases with and without blanks: `folded` removes blanks from spaced letters. */
function wordsIn(lines: readonly string[]): ReadonlySet<string> {
  const all = lines.flatMap((line) => line.split(', ').map(folded))
  return new Set([...all, ...all.map((word) => word.replaceAll(' ', ''))])
}

/** Folds a text; removes colons and points at its end, and joins spaced letters (`S A L D O`). */
function folded(text: string): string {
  const bare = text.replace('’', "'").replace(/[\s:.]+$/u, '')
  const isSpaced = /^\s*[\p{L}\p{M}](?:\s+[\p{L}\p{M}]){2,}$/u.test(bare)
  return foldText(isSpaced ? bare.replace(/\s+/gu, '') : bare)
}
