import { foldText } from '@coffer/kit/values/fold'

/** Returns the folded words of a list that is separated by blanks. */
function listed(text: string): Set<string> {
  return new Set(text.split(/\s+/).filter(Boolean).map(foldWord))
}

/** Folds a word for comparison with these lists: also removes dots and apostrophes. */
export function foldWord(word: string): string {
  return foldText(word).replace(/[.'’]/g, '')
}

/** Kinds of payment, with which banks begin a text. */
export const kindWords = listed(`
  card purchase payment pos debit credit visa mastercard maestro contactless recurring
  checkcard checkcrd authorized on ach web ppd ext electronic online bill pmt pymt
  preauthorized transaction trn dbt crd int withdrawal prchs pwp to from at in with return
  refund direct dd so sto bgc cpt clp fpo faster transfer dr cr kartenzahlung karte
  kartenumsatz lastschrift sepa-lastschrift basislastschrift sepa sepa-basislastschrift
  folgelastschrift einzug dauerauftrag gutschrift ueberweisung überweisung girocard ec elv
  debitkarte kreditkarte abbuchung einkauf kauf zahlung überweisungsgutschrift paiement par
  carte cb prlv prelevement prélèvement prelevmnt achat vir virement facture du au de movil
  móvil compra compras tarjeta tarj pago recibo en con adeudo domiciliacion transferencia
  bizum cargo pagamento pagam carta acquisto addebito sdd disposizione bonifico tramite su
  presso op operazione circuito nexi bancomat esercente diretto betaling betaalautomaat bea
  gea pin pas incasso overboeking ideal europese doorlopend algemeen betaalverzoek
  kortköp kortkop köp kop autogiro överföring overforing betalning bg pg swish
  kontaktlös zakup karta kartą płatność platnosc kart plat przelew polecenie zapłaty blik
  transakcja bezgotówkowa bezstykowa krajowa internetowa w デビット カード お振込 振込 口座振替 ご利用 お支払い 引落
  VISAデビット ﾃﾞﾋﾞﾂﾄ ｶｰﾄﾞ ｶ-ﾄﾞ コウザフリカエ フリコミ デビツト 決済 自払 電子マネー カ 株 rent standing order station`)

/** Payment processors, whose names precede that of the merchant. */
export const processors = listed(`
  paypal pp ppl sq sumup zettle izettle iz stripe adyen klarna tst toast py sp shopify cko
  checkout ccv bck buckaroo mollie worldline payu przelewy24 p24 dotpay tpay twint qvr fs
  paddle 2co globalp alipay redsys nexi ingenico payone concardis vipps payplug lyf axepta
  satispay swishpay google ペイペイ paypay sbps gmo`)

/** Legal forms, which end a merchant's name. */
export const legalForms = listed(`
  gmbh mbh kg kgaa ag ohg ug ev ek gbr ltd limited plc llc llp inc corp co cie sa sarl sas
  sasu sca snc eurl spa srl sl slu sau bv nv vof cv ab aktiebolag oy oyj as aps sp spzoo zoo
  kk 株式会社 有限会社 カ 株 ユ incorporated corporation company se eg`)

/** Words that introduce references, so that the merchant's name ends before them. */
export const endWords = listed(`
  ref reference rrn auth id nr no num number mandat mandate mandato mandaat mref eref kref
  svwz cred creditor iban bic datum valuta value date dated del op date: termin termijn
  kenmerk omschrijving pasvolgnr transactie pas concepto rif n° num. data autoryzacja tytul
  tytuł ocr referens kundnr kd-nr kundennr kdnr rechnung rechnungsnr rg-nr rnr vertrag
  vertragsnr beitrag facture echeance ech contrat client conto cliente contratto polizza
  polis factuurnr factuur klantnr klant abonnement invoice inv bill acct account conf
  confirmation web ppd indn dated fact pmt ocr carte tarjeta carta card karta seq trace term
  terminal folge-nr verfalld kartennr end-to-end notprovided`)

/** Words that precede the number of a branch. */
export const branchWords = listed(`
  store str stn fil filiale filial branch station mag magasin tienda negozio butik sklep
  shop unit outlet agence agencia suc sucursal dept pdv winkel sagt shop# #`)

/** Words after a merchant's name that denote a branch, department or purpose. */
export const detailWords = listed(`
  stores store supermarket supermarkt supermarche market markt center centre zentrum city
  express extra local metro whse oil eu international europe services service internet
  online app shop clientes clients client particuliers klantenservice kundservice
  kundenservice sagt drogeriemarkt station stacja statoil groep group gruppe groupe retail
  particulier viajeros sprzedaż distribution miete rent loyer alquiler affitto huur hyra
  czynsz ヤチン 家賃 チャージ concepto s/mkts mkts superstore hypermarket hipermercado membership
  beitrag abo autogiro hr usa comm cotisation vielen markets ride`)

/** Names of large cities, countries and states, which follow the merchant's name. */
export const places = listed(`
  usa us gb gbr uk de deu fr fra es esp it ita nl nld se swe pl pol jp jpn ie irl lu lux be
  at ch germany deutschland france espana italia nederland sverige polska japan luxembourg
  luxemburg london manchester birmingham leeds glasgow edinburgh bristol liverpool cardiff
  sheffield york cambridge oxford brighton nottingham reading berlin hamburg münchen
  muenchen munich köln koeln frankfurt stuttgart düsseldorf duesseldorf leipzig dresden
  hannover nürnberg bremen essen dortmund bonn potsdam kiel mainz paris lyon marseille
  toulouse nice nantes lille bordeaux strasbourg rennes montpellier grenoble madrid
  barcelona valencia sevilla zaragoza malaga bilbao murcia granada alicante milano roma
  torino napoli bologna firenze genova palermo venezia verona padova bari amsterdam
  rotterdam utrecht eindhoven haag groningen haarlem leiden delft breda nijmegen stockholm
  goteborg göteborg malmo malmö uppsala lund solna vasteras orebro linkoping warszawa krakow
  kraków gdansk gdańsk wroclaw wrocław poznan poznań lodz łódź katowice lublin seattle
  chicago boston austin dallas houston denver portland miami atlanta phoenix brooklyn
  oakland minneapolis philadelphia detroit dublin tokyo osaka kyoto nagoya
  yokohama shinjuku shibuya 東京 大阪 京都 渋谷 新宿 横浜 名古屋`)

/** First words of many merchants' names: alone they identify no merchant. */
export const genericWords = listed(`
  the le la les el los las il lo i der die das de den het restaurant ristorante restaurante
  hotel cafe café bar pizzeria trattoria osteria boulangerie bäckerei baeckerei bakery
  bakkerij panaderia apotheke pharmacie pharmacy farmacia apotek apteka apotheek drogerie
  supermercado supermarkt stadtwerke city bank banca banco banque deutsche national american
  united first new old salon studio tankstelle station parking parkhaus garage dr praxis st
  saint san santa grand royal big super market marche mercato mercado piekarnia sklep
  restauracja kiosk cinema kino teatro university gym fitness club casa maison taxi grupo
  groupe spolka my media`)

/** Articles, prepositions and conjunctions, which are in lower case inside names. */
export const smallWords = listed(
  'of and the de la le du des di da del van der den von y e et und i',
)

/** Abbreviations in banks' texts, with the full word; '' removes the word from the name. */
export const spelledOut: Record<string, string> = {
  amzn: 'Amazon',
  amz: 'Amazon',
  mktp: '',
  mktplace: '',
  marketplace: '',
  payments: '',
  wwwamazon: 'Amazon',
  supercenter: '',
  dienstl: '',
  vertriebs: '',
  vertrieb: '',
  dienstleistung: '',
}

/** Domains that are the merchants' usual names. */
export const siteNames = listed('booking.com bol.com hotels.com cdon.com')
