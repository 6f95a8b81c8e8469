export const startWords = {
  title: 'Your first bank account',
  titleFurther: 'Another bank account',
  begin: 'Coffer plans the money of a bank account: all other screens begin with one.',
  text: 'Enter it by hand: a name and the money that is in it now. You can add others later.',
  bank: 'Bank',
  bankHint: 'Any name, such as that of the bank or “Cash”.',
  kind: 'Kind of account',
  kinds: {
    checking: 'Checking',
    savings: 'Savings',
    card: 'Credit card',
    loan: 'Loan',
  },
  name: 'Name of the account',
  currency: 'Currency',
  balance: 'Money in it now',
  owed: 'Owed now',
  limit: 'Credit limit',
  create: 'Create the account',
  amountFault: (example: string) => `Enter an amount, such as ${example}.`,
  required: 'This is needed.',
  hand: 'By hand',
  handText: 'You enter what you spend.',
  file: 'A file of the bank',
  fileText: 'OFX, QFX, CSV, QIF, CAMT, MT940.',
  fileNext: 'Name the account of the file, and the money in it now; the file comes next.',
  plaid: 'My bank',
  plaidText: 'Plaid reads its transactions.',
  feed: 'My own provider',
  feedText: 'A feed of bank data that you run.',
  planTitle: 'Your plan',
  later: 'Later: to the home page',
  payday: 'When does money come in?',
  paydayText:
    'At a payday, Coffer puts a share into each envelope, so that the money for a bill is there ' +
    'when it comes.',
  paydayName: 'Payday',
  envelopes: 'Your first envelopes',
  envelopesText:
    'Proposed from your transactions, among which these payments come again and again. ' +
    'Take them, change them, or leave them out.',
  envelopesNone:
    'An envelope sets money aside for a bill. Enter what these need, or leave them out; you can ' +
    'add and change envelopes at any time.',
  examples: ['Rent', 'Groceries', 'Electricity'],
  unnamed: 'New envelope',
  another: 'Another one',
  createThem: (count: number) => {
    if (count === 0) return 'Go on without envelopes'
    return count === 1 ? 'Create one envelope' : `Create ${count} envelopes`
  },
  resume: 'Your plan is not complete',
  resumePayday: 'Without a payday nothing fills the envelopes.',
  resumeEnvelopes: 'There are no envelopes yet: all money is free to use.',
  goOn: 'Go on with the plan',
}
