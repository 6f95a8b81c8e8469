import {
  CalendarClock,
  ChartLine,
  Ellipsis,
  FileUp,
  House,
  Landmark,
  type LucideIcon,
  Mail,
  ReceiptText,
  Settings,
} from 'lucide-react'
import { frameWords } from '../words/frame.ts'

/** An entry of the navigation. */
export interface Place {
  to: string
  text: string
  icon: LucideIcon
}

/** Places of the navigation, in its order. The bar of a phone has the first ones, and `more`. */
export const places = [
  { to: '/', text: frameWords.home, icon: House },
  { to: '/transactions', text: frameWords.transactions, icon: ReceiptText },
  { to: '/envelopes', text: frameWords.envelopes, icon: Mail },
  { to: '/forecast', text: frameWords.forecast, icon: ChartLine },
  { to: '/schedules', text: frameWords.schedules, icon: CalendarClock },
  { to: '/imports', text: frameWords.imports, icon: FileUp },
  { to: '/accounts', text: frameWords.accounts, icon: Landmark },
  { to: '/settings', text: frameWords.settings, icon: Settings },
] as const satisfies Place[]

export const more = { to: '/more', text: frameWords.more, icon: Ellipsis } as const satisfies Place

/** Number of places in the bar of a phone, beside `more`: six entries would be cut off. */
export const barPlacesMax = 4
