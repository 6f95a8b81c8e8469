export const importWords = {
  title: 'Imports',
  choose: 'Choose a file',
  drop: 'Drop a file of your bank here',
  kinds: (account: string) =>
    `OFX, QFX, QBO, QIF, CAMT (XML), MT940, CSV, XLSX or ODS. Its transactions go to ${account}.`,
  notManual:
    'Files go to bank accounts that are kept by hand. This one gets its data from the bank.',
  off: 'This server takes no files.',
  list: 'Imported files',
  none: 'No file was imported yet.',
  statuses: {
    pending: 'Waiting',
    processing: 'Reading',
    failed: 'Failed',
    complete: 'Done',
    mapping: 'Not imported',
    expired: 'Not imported',
  } as Record<string, string>,
  imported: (count: number) => (count === 1 ? '1 transaction' : `${count} transactions`),
  knownBefore: (count: number) => `${count} imported before`,
  leftOut: (count: number) => `${count} left out`,
  ofLine: (line: number | null, text: string) => (line === null ? text : `Line ${line}: ${text}`),
  dayFirst: 'The day is first',
  monthFirst: 'The month is first',
  decimalPoint: 'The point parts the cents',
  decimalComma: 'The comma parts the cents',
  readAs: (how: string) => `Read with ${how}`,
  choices: {
    encoding: 'Character set',
    delimiter: 'Between the columns',
    decimalMark: 'Decimal mark',
    dayFirst: 'Order of day and month',
  } as Record<string, string>,
  delimiters: { ',': 'comma', ';': 'semicolon', '|': 'bar', '\t': 'tab' } as Record<string, string>,
  marks: { '.': 'decimal point', ',': 'decimal comma' } as Record<string, string>,
  orders: { true: 'the day first', false: 'the month first' } as Record<string, string>,
  sheet: 'Sheet of the workbook',
  sheetOf: (name: string, count: number) => `${name} (${count === 1 ? '1 row' : `${count} rows`})`,
  sheetGone: 'To read another sheet, choose the file again.',
  severalText:
    'This file holds several accounts. Say where each one goes. They are imported together, and ' +
    'undone together.',
  severalList: 'Files of several accounts',
  goesTo: (name: string) => `${name} goes to`,
  leaveOut: 'nowhere: it is left out',
  noneFits: (currency: string) => `No bank account kept by hand is in ${currency}.`,
  severalRows: (count: number) => (count === 1 ? '1 row' : `${count} rows`),
  previewOf: (name: string) => `Show a preview of ${name}`,
  storeAccounts: (count: number) => {
    if (count === 0) return 'Choose where an account goes'
    return count === 1 ? 'Import 1 account' : `Import ${count} accounts`
  },
  twice: 'Each account of the file needs a bank account of its own.',
  undoAll: 'Undo all',
  undoAllText: (accounts: string, count: number) =>
    `${count === 1 ? '1 transaction' : `${count} transactions`} of ${accounts} ` +
    `${count === 1 ? 'is' : 'are'} deleted, and the balances return to what they were.`,
  unjoined: (count: number) => `${count} not joined: stored as new`,
  undone: 'Undone',
  undo: 'Undo',
  undoTitle: (name: string) => `Undo ${name}?`,
  undoText: (count: number) =>
    `Its ${count === 1 ? 'transaction is' : `${count} transactions are`} deleted, and the ` +
    'balance returns to what it was.',
  cancel: 'Cancel',
  file: 'File',
  mapTitle: 'Read a CSV file',
  columns: 'Columns of the file',
  mapText:
    'Say once which column of the file holds each of these. Further files of this bank are read ' +
    'the same way.',
  known: 'Files with these columns were read before.',
  firstRows: 'First rows of the file',
  misfit: (text: string) => `${text} is not written this way.`,
  useKnown: 'Read it the same way',
  date: 'Date',
  format: 'Dates are written as',
  formatOf: (example: string, format: string) => `${example} (${format})`,
  memo: 'Description',
  merchant: 'Payee, a shorter name',
  nothing: 'none',
  amountKind: 'Amounts are in',
  amountKinds: {
    sign: 'one column with a sign',
    column: 'two columns: money out, money in',
    type: 'one column, and a word says the direction',
  },
  amount: 'Amount',
  debits: 'Money out',
  credits: 'Money in',
  direction: 'Out or in, as a word',
  debitWord: 'Word for money out',
  creditWord: 'Word for money in',
  invert: 'Payments have a minus',
  swap: 'Money out and money in are the other way round',
  id: 'Number that the bank gives each payment',
  idHint: 'Payments of an earlier file are recognised by it, else by date, description and amount.',
  balance: 'Balance',
  preview: 'Show a preview',
  reading: 'Reading the file',
  previewTitle: 'This will be stored',
  comesIn: 'comes in',
  goesOut: 'goes out',
  counts: (fresh: number, known: number, skipped: number) =>
    [
      fresh === 1 ? '1 new transaction' : `${fresh} new transactions`,
      ...(known > 0 ? [`${known} imported before`] : []),
      ...(skipped > 0 ? [`${skipped} left out`] : []),
    ].join(', '),
  reasons: {
    amount: 'no amount',
    zero: 'amount of zero',
    date: 'no day',
    currency: 'other currency',
    correction: 'correction',
    duplicate: 'twice in the file',
    columns: 'wrong number of columns',
    direction: 'no direction',
    pending: 'pending',
    balance: 'a balance',
    identifier: 'no identifier',
  } as Record<string, string>,
  duplicate: 'imported before',
  joinTitle: 'Perhaps stored already',
  joinText:
    'These rows have the amount, nearly the day and a word of a transaction that did not come ' +
    'from such a file. Tick those that are the same: no second transaction is stored for them.',
  joinSome: (shown: number, count: number) =>
    `${shown} of ${count} are shown. The others are stored as new transactions: ` +
    'to tick them too, import a shorter period at a time.',
  joinAll: 'All of them',
  join: (row: string, day: string, name: string, transactionDay: string) =>
    `${row} on ${day} is ${name} on ${transactionDay}`,
  joinedCount: (count: number) => `${count} joined`,
  store: (count: number) => {
    if (count === 0) return 'Finish the import'
    return count === 1 ? 'Import 1 transaction' : `Import ${count} transactions`
  },
  back: 'Back to the columns',
  again: 'Choose another file',
  storedTitle: 'Stored',
  toTransactions: 'Look at the transactions',
  failed: 'The file could not be read',
  /** Fields to change after a refusal of the server. */
  advice: [
    [
      /without a day of the calendar/,
      'Choose another format in “Dates are written as”, or another column in “Date”.',
    ],
    [/without a readable amount/, 'Choose another column of the amounts.'],
    [/without the direction/, 'Check which words say that money goes out or comes in.'],
  ] as readonly (readonly [RegExp, string])[],
  /** Advice of the server for programs; the app has two buttons in its place. */
  markAdvice: / State \w+(?:, a point or a comma,)? to read (?:the file|it) again/,
}
