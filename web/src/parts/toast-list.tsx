import { Notifications } from '@mantine/notifications';
import '@mantine/notifications/styles.css';

export default function ToastList() {
  return <Notifications position="bottom-right" />;
}
