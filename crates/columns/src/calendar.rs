//! The calendar, in UTC: parts of it that dates are counted in, and dates as texts.

use std::fmt;

use crate::Date;

const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;
/// Days from the Monday of its week to 1970-01-01.
const DAYS_SINCE_MONDAY: i64 = 3;

/// A part of the proleptic Gregorian calendar. Those of a kind are numbered, ascending with time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interval {
    Year,
    Quarter,
    Month,
    /// From Monday on, as in ISO 8601.
    Week,
    Day,
    Hour,
}

impl Interval {
    /// The number of the one that a date is in.
    pub fn number(self, date: Date) -> i64 {
        let day = date.seconds().div_euclid(DAY);
        match self {
            Interval::Hour => date.seconds().div_euclid(HOUR),
            Interval::Day => day,
            Interval::Week => (day + DAYS_SINCE_MONDAY).div_euclid(7),
            Interval::Month => Day::of_number(day).months(),
            Interval::Quarter => Day::of_number(day).months().div_euclid(3),
            Interval::Year => Day::of_number(day).year,
        }
    }

    /// The first moment of the one with a number, as short as ISO 8601 has it: `2024-02` of a month.
    pub fn start(self, number: i64) -> String {
        let month = |months: i64| {
            let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
            format!("{year:04}-{month:02}")
        };
        match self {
            Interval::Hour => {
                let day = Day::of_number(number.div_euclid(24));
                format!("{day}T{:02}:00Z", number.rem_euclid(24))
            }
            Interval::Day => Day::of_number(number).to_string(),
            Interval::Week => Day::of_number(number * 7 - DAYS_SINCE_MONDAY).to_string(),
            Interval::Month => month(number),
            Interval::Quarter => month(number * 3),
            Interval::Year => format!("{number:04}"),
        }
    }
}

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Day {
    year: i64,
    /// From 1 on.
    month: i64,
    /// From 1 on.
    day: i64,
}

/// Days from 0000-03-01, on which the years of the algorithm begin, to 1970-01-01.
const DAYS_SINCE_MARCH_0: i64 = 719_468;
/// Days of 400 years, after which the calendar begins anew.
const DAYS_OF_ERA: i64 = 146_097;

impl Day {
    /// The day so many days after 1970-01-01, by `civil_from_days` of Howard Hinnant's "chrono-Compatible Low-Level Date
    /// Algorithms": leap days end the years, as these begin in March.
    fn of_number(number: i64) -> Self {
        let days = number + DAYS_SINCE_MARCH_0;
        let era = days.div_euclid(DAYS_OF_ERA);
        let of_era = days.rem_euclid(DAYS_OF_ERA);
        let leap_days = of_era / 1_460 - of_era / 36_524 + of_era / (DAYS_OF_ERA - 1);
        let year = (of_era - leap_days) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        // Months from March on have 153 days in every five.
        let from_march = (5 * of_year + 2) / 153;
        let month = if from_march < 10 {
            from_march + 3
        } else {
            from_march - 9
        };
        Self {
            year: era * 400 + year + i64::from(month <= 2),
            month,
            day: of_year - (153 * from_march + 2) / 5 + 1,
        }
    }

    /// The months from the first of the year 0 to its own.
    fn months(self) -> i64 {
        self.year * 12 + self.month - 1
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The week in which the year 0 begins does so in the year before.
        let sign = if self.year < 0 { "-" } else { "" };
        let year = self.year.abs();
        write!(f, "{sign}{year:04}-{:02}-{:02}", self.month, self.day)
    }
}

impl fmt::Display for Date {
    /// An instant in ISO 8601: `2024-02-29T12:30:05.25Z`, its fraction only where it has one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let day = Day::of_number(self.seconds().div_euclid(DAY));
        let second = self.seconds().rem_euclid(DAY);
        let (hour, minute) = (second / HOUR, second % HOUR / 60);
        write!(f, "{day}T{hour:02}:{minute:02}:{:02}", second % 60)?;
        if self.nanoseconds() > 0 {
            let digits = format!("{:09}", self.nanoseconds());
            write!(f, ".{}", digits.trim_end_matches('0'))?;
        }
        f.write_str("Z")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Interval; 6] = [
        Interval::Year,
        Interval::Quarter,
        Interval::Month,
        Interval::Week,
        Interval::Day,
        Interval::Hour,
    ];

    fn date(text: &str) -> Date {
        Date::of_text(text).unwrap_or_else(|| panic!("{text} is a date"))
    }

    fn days_of(year: i64, month: i64) -> i64 {
        let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        match month {
            2 => 28 + i64::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }

    #[test]
    fn days_follow_each_other_through_ten_thousand_years() {
        let first = date("0000-01").seconds() / DAY;
        let (mut number, mut weekday) = (first, 5);
        for year in 0..10_000 {
            for month in 1..=12 {
                for day in 1..=days_of(year, month) {
                    assert_eq!(Day::of_number(number), Day { year, month, day });
                    let week = Interval::Week.number(date_of_day(number));
                    assert_eq!(week * 7, number - weekday + DAYS_SINCE_MONDAY);
                    (number, weekday) = (number + 1, (weekday + 1) % 7);
                }
            }
        }
        assert_eq!((number - 1) * DAY, date("9999-12-31").seconds());
    }

    fn date_of_day(number: i64) -> Date {
        Date::of_number(crate::Number::Int(number * DAY)).unwrap()
    }

    #[test]
    fn an_interval_is_named_by_its_first_moment_as_filters_read_it() {
        for (text, names) in [
            (
                "2024-02-29T12:30",
                [
                    "2024",
                    "2024-01",
                    "2024-02",
                    "2024-02-26",
                    "2024-02-29",
                    "2024-02-29T12:00Z",
                ],
            ),
            (
                "2025-12-31T23:59:59.999999999",
                [
                    "2025",
                    "2025-10",
                    "2025-12",
                    "2025-12-29",
                    "2025-12-31",
                    "2025-12-31T23:00Z",
                ],
            ),
            (
                "2023-01-01",
                [
                    "2023",
                    "2023-01",
                    "2023-01",
                    "2022-12-26",
                    "2023-01-01",
                    "2023-01-01T00:00Z",
                ],
            ),
            (
                "1969-12-31T23:30",
                [
                    "1969",
                    "1969-10",
                    "1969-12",
                    "1969-12-29",
                    "1969-12-31",
                    "1969-12-31T23:00Z",
                ],
            ),
            (
                "0999-06-15",
                [
                    "0999",
                    "0999-04",
                    "0999-06",
                    "0999-06-10",
                    "0999-06-15",
                    "0999-06-15T00:00Z",
                ],
            ),
        ] {
            for (interval, name) in ALL.into_iter().zip(names) {
                let number = interval.number(date(text));
                assert_eq!(interval.start(number), name, "{text} {interval:?}");
                // A year before 1000 is no date by itself.
                if let Some(start) = Date::of_text(name) {
                    assert_eq!(interval.number(start), number);
                    assert!(start <= date(text));
                }
            }
        }
    }

    #[test]
    fn a_date_is_written_as_it_is_read() {
        for text in [
            "2024-02-29T12:30:05.25Z",
            "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59.999999999Z",
            "1969-12-31T23:59:59.000000001Z",
        ] {
            assert_eq!(date(text).to_string(), text);
        }
    }

    #[test]
    fn a_leap_second_is_the_end_of_the_month_before_it() {
        let leap = date("2016-12-31T23:59:60Z");
        assert_eq!(leap.to_string(), "2016-12-31T23:59:59.999999999Z");
        for none in [
            "2016-12-30T23:59:60Z",
            "2016-12-31T24:00",
            "2016-12-31T23:59:61Z",
        ] {
            assert_eq!(Date::of_text(none), None, "{none}");
        }
    }
}
