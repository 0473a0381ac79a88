import { describe, expect, test } from 'vitest';
import { DevicePlaces, DeviceRefusal } from '../../src/runtime/device-places.js';

function places() {
  const told: string[] = [];
  const clock = { now: 0 };
  return {
    told,
    clock,
    places: new DevicePlaces(
      (message) => told.push(message),
      () => clock.now,
    ),
  };
}

describe('a model', () => {
  test('runs on the CPU for good once a device cannot take it, and on other devices as before', () => {
    const { told, clock, places: of } = places();
    expect(of.placeOf('a', 'cuda')).toBe('cuda');
    of.refuse('a', 'test/a', 'cuda', new DeviceRefusal('devices run models of texts alone', false));
    clock.now = 1e12;
    expect([of.placeOf('a', 'cuda'), of.placeOf('a', 'cuda:1'), of.placeOf('b', 'cuda')]).toEqual([
      'cpu',
      'cuda:1',
      'cuda',
    ]);
    expect(told).toEqual(['Model test/a runs on the CPU, not on cuda: devices run models of texts alone.']);
  });

  test('is offered to a device again a minute after that had no room for it', () => {
    const { clock, places: of } = places();
    of.refuse('a', 'test/a', 'cuda', new DeviceRefusal('no room', true));
    clock.now = 59_999;
    expect(of.placeOf('a', 'cuda')).toBe('cpu');
    clock.now = 60_000;
    expect(of.placeOf('a', 'cuda')).toBe('cuda');
  });

  test('is forgotten first of many that were refused when it was refused first', () => {
    const { places: of } = places();
    for (let i = 0; i <= 1_000; i++) of.refuse(`${i}`, 'test', 'cuda', new DeviceRefusal('unknown', false));
    expect([of.placeOf('0', 'cuda'), of.placeOf('1', 'cuda')]).toEqual(['cuda', 'cpu']);
  });
});

describe('a fault of a device', () => {
  test('is told once a minute where it passes, and models stay there', () => {
    const { told, clock, places: of } = places();
    const fault = { message: 'no room', isLost: false };
    for (const now of [0, 30_000, 60_000]) {
      clock.now = now;
      expect(of.fault('cuda', fault)).toBe(false);
    }
    expect(told).toEqual(Array(2).fill('The CPU computed some texts in the place of cuda: no room.'));
    expect([of.placeOf('a', 'cuda'), of.problems()]).toEqual(['cuda', []]);
  });

  test('is told once where it loses the device, and all models of that run on the CPU', () => {
    const { told, places: of } = places();
    const isNew = ['first', 'second'].map((message) => of.fault('cuda:1', { message, isLost: true }));
    expect(isNew).toEqual([true, false]);
    expect(told).toEqual(['The CPU computes in the place of cuda:1 until the server is started anew: first.']);
    expect([of.placeOf('a', 'cuda:1'), of.placeOf('a', 'cuda')]).toEqual(['cpu', 'cuda']);
    expect(of.problems()).toEqual(['The CPU computes in the place of cuda:1: first.']);
  });
});
