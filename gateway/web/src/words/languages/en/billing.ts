export const billing = {
  title: 'Subscription',
  text: 'This account needs a subscription. All that you have entered stays.',
  subscribe: 'Subscribe',
  portal: 'Change or end the subscription',
  after: 'Thank you',
  active: 'The subscription is active.',
  notActive: 'The payment is not through yet. This page looks again by itself.',
  toHome: 'To your budget',
  none: 'This server needs no subscription.',
} as const
