import { expect, test } from '@jest/globals'
import { findMerchant } from './bank-text.ts'
import { nameOf } from './merchant-name.ts'

test.each([
  ['CARD PURCHASE 1234 LIDL DIENSTL. BERLIN 03.05 REF 99812', 'Lidl'],
  ['PAYPAL *SPOTIFY 4029357733 LU', 'Spotify'],
  ['AMZN Mktp US*2K4LL1 Amzn.com/bill WA', 'Amazon'],
  ['UBER   *EATS HELP.UBER.COM', 'Uber Eats'],
  ['Zettle_*Kaffebaren Malmö', 'Kaffebaren'],
  ['Naam: Albert Heijn 1521 Omschrijving: Pasvolgnr: 003', 'Albert Heijn'],
  ['SEPA-LASTSCHRIFT Stadtwerke Musterstadt GmbH Mandat 4711', 'Stadtwerke Musterstadt'],
  ['デビット　スターバックス 新宿店', 'スターバックス'],
  ['ｶｰﾄﾞ ﾌｧﾐﾘｰﾏｰﾄ 1023', 'ファミリーマート'],
  ['03.05.2026 1234', ''],
  ['CHECKCARD 0503 7-ELEVEN 33921 AUSTIN TX', '7-Eleven'],
])('%j names the merchant %j', (text, name) => {
  expect(nameOf(findMerchant(text))).toBe(name)
})
