export const startWords = {
  title: 'Your first bank account',
  titleFurther: 'Another bank account',
  text: 'Enter it by hand: a name and the money that is in it now. You can add others later.',
  bank: 'Bank',
  bankHint: 'Any name, such as that of the bank or “Cash”.',
  name: 'Name of the account',
  nameDefault: 'Checking',
  currency: 'Currency',
  balance: 'Money in it now',
  create: 'Create the account',
  amountFault: 'Enter an amount, such as 1,250.00.',
  required: 'This is needed.',
  files:
    'Does your bank give out files (OFX, QFX, CSV)? Create the account first, then import one.',
  feed: 'Do you run a feed of bank data?',
  toFeed: 'Connect it',
}
