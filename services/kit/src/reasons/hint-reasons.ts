/**
 * Hints in successful responses (docs/api.md#hints), by a stable code like that of refusals
 * (docs/api/refusals.md#hints).
 */
export const hintReasons = {
  PAID_WITHOUT_MOVING:
    'The envelope paid, but no balance moved, so free-to-use is higher now. If the money has left the account, create the transaction with adjustsBalance.',
  REFUNDED_WITHOUT_MOVING:
    'The envelope got the refund, but no balance moved, so free-to-use is lower now. If the money has come in, create the transaction with adjustsBalance.',
  REFUNDED_IN_PART:
    'The deposit is more than transactions took from the envelope, or than was left to refund: the rest is free-to-use.',
  PAID_IN_PART: 'The envelope held less than the amount: free-to-use pays the rest.',
  BALANCE_NOT_MOVED:
    'No balance moved: a PATCH never moves one. To move them, correct the transaction.',
  CORRECTED_ALONE:
    'The transaction has not moved the balances, so only the transaction was corrected.',
  ADDED_UNMOVED: 'The transaction had not moved the balances; its amount was added to them.',
  BALANCE_KEPT:
    'The balances keep what the transaction took: adjusts_balance=true would return it.',
  POSITIVE_DEBT: 'A positive currentBalance is money held: state what is owed as a negative one.',
  NOT_CONVERTED: 'A new currency converts no amount.',
  MONTHS_SKIPPED:
    'Not every {period} has a day {day}: the rule has no such date in {months}. For the last day of a month write {part}.',
  QIF_WITHOUT_BALANCES:
    'A QIF file states no balances: they stay as they are, so set them by hand where they differ',
  BALANCE_UNREADABLE:
    'The balance {text} of the file is no amount in its currency, and is left out: set the balances by hand where they differ',
  BALANCE_BLANK:
    'The newest row of the file has no balance, so none is taken: set the balances by hand where they differ',
  BALANCES_UNORDERED:
    'The balances of the newest day do not follow from its amounts, so it is open which one is the last, and none is taken: set the balances by hand where they differ',
  BALANCE_OLDER:
    'The balance above the table is of a day before its newest row, so it is not taken: set the balances by hand where they differ',
  BALANCE_UNDATED:
    'The day {text} of the balance is no date, so another day of the file counts for it: compare the balances with those of the bank',
  FILE_OPEN_ENDED:
    'The file has no mark of its end and may be cut: compare its last rows with those of the bank; if some are missing, undo the import and export anew',
} as const
