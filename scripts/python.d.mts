/** Whether there is a Python that clients/python supports. */
export function hasPython(): boolean;
