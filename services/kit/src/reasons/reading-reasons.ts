/**
 * Reasons why a file cannot be read or imported, and why a reader has chosen an encoding, a decimal
 * mark, a date format etc. (docs/files.md#choices).
 */
export const readingReasons = {
  MARK_UNCLEAR:
    '{text} can have decimals or thousands: {fault}. State decimalMark, a point or a comma, to read the file again',
  MARKS_OF_OTHERS: 'other amounts have both marks',
  MARKS_DIFFER: 'the amounts have both marks',
  MARKS_FEW: 'too few amounts decide it',
  MARKS_MISSING: 'other amounts have no mark',
  MARKS_SELDOM: '{currency} is seldom written with decimals',
  DAY_UNCLEAR: '{text} can begin with the day or the month. State dayFirst to read it again',
  ACCOUNT_UNCLEAR: 'The file holds {accounts}: state statement, the one to read',
  ACCOUNT_UNKNOWN:
    'The file holds {accounts}, and none is called like the stated one: state statement, the one to read',
  ACCOUNTS_OF_TABLE:
    'The file holds the accounts {names}: state statement, the one to read, or * for all rows',
  ACCOUNTS_UNNAMED:
    'The file names no accounts, so none is called {name}: state * as statement for all rows, or null',
  ROWS_UNREADABLE:
    'No row of the file can be read: {count} of {rows} {fault}. The first, in line {line}: {text}',
  RECORDS_UNREADABLE:
    'No row of the file can be read: {count} of {rows} {fault}. The first: {text}',
  ROW_AMOUNT: 'without a readable amount',
  ROW_DATE: 'without a day of the calendar',
  ROW_DIRECTION: 'without the direction of the money',
  ROW_CURRENCY: 'in another currency',
  ROW_COLUMNS: 'with more cells than the table has columns',
  ROW_IDENTIFIER: 'without an identifier',
  FILE_OTHER_KINDS: 'The file holds no transactions of a bank account or a card, only {kinds}',
  TABLE_DELIMITER: 'No row has a date and an amount by this delimiter: state another one, or none',
  TABLE_HEADER: 'Line {line} of the file has no names of columns: state another headerRow',
  TABLE_SHAPELESS:
    'The file has no row with the names of at least three columns, and none with a date and an amount',
  ROW_TOO_LONG: 'Line {line} of the file is too long to be a row of a statement',
  QUOTES_OPEN: 'The quotes of line {line} have no end',
  FILE_DOCTYPE: 'The file declares a document type, which statements do not have',
  FILE_ELEMENTS: 'The file has more elements than a statement needs',
  TABLE_NOT_TEXT:
    'The file is no table, but a PDF, a picture or another kind: download CSV, OFX or CAMT',
  TABLE_CUT_AMOUNTS:
    'Decimal commas cut the amounts in two: download the file with semicolons or with quotes',
  TABLE_ELEMENTS: 'The file has more elements than a table needs',
  NOTIFICATIONS_BARE: 'The notifications have no references: upload the statement (CAMT.053)',
  ARCHIVE_FILES: 'The archive has more than {max} files',
  ARCHIVE_SIZE: 'The archive has more than {max} MiB of content',
  ARCHIVE_ROWS: 'The archive has more than {max} transactions',
  FILE_IN_ARCHIVE: 'In the archive, "{name}": {fault}',
  ARCHIVED_TABLE: 'a table needs a mapping: send it by itself to transactions/import',
  ARCHIVED_KIND: 'must be an OFX, CAMT, MT940 or QIF file to be in an archive',
  FILE_LEFT: 'The file is no longer there',
  IMPORT_LATER: 'The file could not be imported for now; please upload it again',
  PREVIEW_LATER: 'The file could not be read for now; please upload it again',

  CHOICE_STATED: 'stated',
  CHOICE_DIFFERS: 'in {name}; in {other} it is {value}',
  MARK_SHOWN: '{text} has the decimal mark {mark}',
  MARK_NONE: 'no amount has a decimal mark',
  MARK_ALIKE: 'every amount is written like {text}',
  MARK_THOUSANDS: '{text} has groups of thousands: {fault}',
  MARK_WHOLE: 'the currency has no decimals',
  MARK_UNEVEN: 'its last digit is not 0, as in an amount of two decimals with a 0',
  DAY_FIRST: '{text} has the day first',
  MONTH_FIRST: '{text} has the month first',
  DAYS_CLEAR: 'every date is written one way only',
  DAYS_CONTRADICT:
    'Dates such as {text} do not fit {format}: state dateFormat, or choose another mapping',
  SIGNS_UNCLEAR:
    'Amounts of {name} like {text} are usual or go back: state minusReverses, or map the balance',
  SIGNS_MOVED: 'the balances move so',
  SIGNS_ALIKE: 'all amounts of {name} have a minus, as {text}',
  SIGNS_MOST: 'most amounts of {name} are written like {text}',
  BALANCES_CONTRADICT:
    'The balance moves against the amount (rows: {count}): map other signs, or no balance',
  BALANCE_SUM_RANGE:
    'The sum of all rows leaves the range of ±9007199254740991: map another balance, or none',
  DAYS_MAPPED: 'as the mapping says',
  DAYS_LIKE: 'as in {text}',
  DAYS_STATED: 'dayFirst is stated',
  DAYS_OPEN: '{text} fits both orders of day and month: state dayFirst if this one is wrong',
  ENCODING_UNICODE: 'the text is valid UTF-8',
  ENCODING_UNICODE_WIDE: 'the text is UTF-16',
  ENCODING_DECLARED: 'the file declares it',
  ENCODING_GUESSED: 'guessed by its bytes',
  ENCODING_UNSURE: 'guessed by few letters: state encoding if names look wrong',
  DELIMITER_FITS: '{columns} columns, and {rows} rows with a date and an amount',
  HEADER_MISSING: 'no line has names',
  HEADER_ABOVE: 'the line above the rows',
  SHEET_ONLY: 'the only one with a text',
  SHEET_LONGEST: 'the one of {count} with the most rows of a day and an amount',
} as const
