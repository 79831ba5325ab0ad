import { notificationsStore } from '@mantine/notifications';
import { lazy, Suspense, useEffect, useState } from 'react';

const ToastList = lazy(() => import('./toast-list.tsx'));

/** Where toasts appear. What shows them is loaded with the first one. */
export function ToastPlace() {
  const [isNeeded, setIsNeeded] = useState(false);
  useEffect(() => {
    const unsubscribe = notificationsStore.subscribe(() => setIsNeeded(true));
    return () => void unsubscribe();
  }, []);
  if (!isNeeded) return null;
  return (
    <Suspense>
      <ToastList />
    </Suspense>
  );
}
