export const records = {
  title: 'As the bank has sent it',
  text: 'Text',
  merchant: 'Merchant',
  categories: 'Categories',
  amount: 'Amount',
  state: 'State',
  pending: 'Pending',
  posted: 'Posted',
  day: 'Day',
  authorized: 'Paid on',
  received: 'Received',
  withdrawn: 'Replaced or withdrawn',
} as const
