//! Numbers in spellings that the language does not read, such as `$10`, `1,000` and `−5`.
//!
//! They serve messages alone: a spelling that may mean two numbers, as `10,5` does beside a list, is read as none.

use std::borrow::Cow;

use pelorus_characters::is_invisible;

use crate::Number;

/// Digits behind a mark that may part thousands.
const GROUP_DIGITS: usize = 3;

/// Codes of the currencies that people write most.
const CURRENCIES: &str = "AED ARS AUD BDT BGN BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY \
                          KES KRW KWD KZT LKR MAD MXN MYR NGN NOK NZD PEN PHP PKR PLN QAR RON RSD RUB SAR SEK SGD THB \
                          TRY TWD UAH USD UYU UZS VND ZAR";

/// The number that `text` plainly means: with a currency before or behind it, in quotes, with marks between its
/// thousands, a comma before its fraction, another minus, digits of another script or of base 16, the `k` of thousands
/// or the `f` of programs behind it. A whole one is an integer.
pub fn spelled_number(text: &str) -> Option<Number> {
    let text = plain_spelling(text);
    if let Some(number) = of_programs(unquoted(&text)).or_else(|| of_thousands(unquoted(&text))) {
        return Some(number);
    }
    let (text, first_sign) = without_sign(unquoted(&text));
    let (text, has_currency) = without_currency(text);
    let (text, second_sign) = match has_currency {
        true => without_sign(text),
        false => (text, None),
    };
    let sign = match (first_sign, second_sign) {
        (Some(_), Some(_)) => return None,
        (sign, None) | (None, sign) => sign.unwrap_or_default(),
    };
    if !text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let digits = match Number::parse(text) {
        // A price has no thousandths, but may have thousands.
        Some(_) if has_currency && ends_in_group(text, '.') => return None,
        Some(_) => Cow::from(text),
        None => Cow::from(in_digits(text, has_currency)?),
    };
    let number = format!("{sign}{digits}");
    read(&number)
}

/// Tells whether a text consists of digits and of what is written about numbers, whatever they mean together.
pub(crate) fn looks_numeric(text: &str) -> bool {
    let text = plain_spelling(text);
    let (text, _) = without_currency(without_sign(unquoted(&text)).0);
    let is_about = |c: char| !c.is_alphabetic() && !matches!(c, '(' | ')' | '<' | '>' | '=' | '"');
    text.contains(char::is_numeric) && text.chars().all(|c| c.is_numeric() || is_about(c))
}

/// A number in base 16, or with the `f` that programs write behind a float.
fn of_programs(text: &str) -> Option<Number> {
    let (digits, sign) = without_sign(text);
    if let Some(digits) = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        // The standard parser takes a second sign.
        let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let int = i64::from_str_radix(digits, 16).ok().filter(|_| is_number)?;
        let is_negative = sign == Some("-");
        return Some(Number::Int(if is_negative { -int } else { int }));
    }
    read(text.strip_suffix(['f', 'F'])?)
}

/// A number of thousands: `1k`, `1.5k`.
fn of_thousands(text: &str) -> Option<Number> {
    let number = text.strip_suffix(['k', 'K'])?;
    if number.contains(['e', 'E']) {
        return None;
    }
    read(&format!("{number}e3"))
}

/// A number as the language has them, an integer where it is whole.
fn read(text: &str) -> Option<Number> {
    match Number::whole(text) {
        Some(int) => Some(Number::Int(int)),
        None => Number::parse(text),
    }
}

/// The text with ASCII for digits, signs, wide forms and blanks of other scripts and of typesetting, and without
/// characters that nobody sees.
pub fn plain_spelling(text: &str) -> String {
    let zeros = ['\u{660}', '\u{6f0}', '\u{966}'];
    text.chars()
        .filter(|&c| !is_invisible(c))
        .map(|c| match c {
            '\u{2212}' | '\u{2013}' | '\u{fe63}' => '-',
            '\u{2019}' => '\'',
            '\u{ff01}'..='\u{ff5e}' => char::from((u32::from(c) - 0xFEE0) as u8),
            c if c.is_whitespace() => ' ',
            c => {
                let digit = |zero: char| (c as u32).checked_sub(zero as u32).filter(|at| *at < 10);
                let digit = zeros.into_iter().find_map(digit);
                digit
                    .and_then(|digit| char::from_digit(digit, 10))
                    .unwrap_or(c)
            }
        })
        .collect()
}

/// The text between quotes, where it has them on both sides.
fn unquoted(text: &str) -> &str {
    let pairs = [('"', '"'), ('\'', '\''), ('\u{201c}', '\u{201d}')];
    let inside = |(open, close)| text.strip_prefix(open)?.strip_suffix(close);
    pairs.into_iter().find_map(inside).unwrap_or(text).trim()
}

fn without_sign(text: &str) -> (&str, Option<&'static str>) {
    match text.as_bytes().first() {
        Some(b'-') => (&text[1..], Some("-")),
        Some(b'+') => (&text[1..], Some("")),
        _ => (text, None),
    }
}

/// The text without a currency's sign or code of three letters, and whether it has one.
fn without_currency(text: &str) -> (&str, bool) {
    let is_sign = |c: char| matches!(c, '$' | '£' | '¥' | '\u{20a0}'..='\u{20bf}');
    let is_code =
        |code: &str| code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase());
    // A sign may have the letters of a country, as in US$5.
    let behind_letters = text.trim_start_matches(|c: char| c.is_ascii_uppercase());
    let has_few_letters = text.len() - behind_letters.len() <= 3;
    let number = match text.split_once(' ') {
        Some((number, code)) if is_code(code) => Some(number),
        Some((code, number)) if is_code(code) => Some(number),
        _ if let Some(number) = without_currency_code(text) => Some(number),
        _ => behind_letters
            .strip_prefix(is_sign)
            .filter(|_| has_few_letters)
            .or_else(|| text.strip_suffix(is_sign)),
    };
    match number {
        Some(number) => (number.trim(), true),
        None => (text, false),
    }
}

/// The text without the code of a currency that stands right before or behind it.
fn without_currency_code(text: &str) -> Option<&str> {
    let is_currency = |code: &str| CURRENCIES.split(' ').any(|known| known == code);
    let before = text.split_at_checked(3);
    let behind = text.split_at_checked(text.len().saturating_sub(3));
    before
        .filter(|(code, _)| is_currency(code))
        .map(|(_, number)| number)
        .or_else(|| {
            behind
                .filter(|(_, code)| is_currency(code))
                .map(|(number, _)| number)
        })
}

/// Tells whether digits, the first no zero, are in two groups, the last of thousands.
fn ends_in_group(digits: &str, mark: char) -> bool {
    digits.split_once(mark).is_some_and(|(first, last)| {
        (1..=GROUP_DIGITS).contains(&first.len()) && !first.starts_with('0') && is_group(last)
    })
}

fn is_group(digits: &str) -> bool {
    digits.len() == GROUP_DIGITS && is_digits(digits)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A number without the marks between its thousands, and with a point before its fraction.
fn in_digits(text: &str, has_currency: bool) -> Option<String> {
    let is_mark = |c: char| matches!(c, ',' | '.' | '\'' | '_' | ' ');
    let mark = text.chars().find(|c| is_mark(*c))?;
    let (whole, fraction) = match text.rsplit_once([',', '.']) {
        // The last mark is another than the first, or has no thousands behind it.
        Some((whole, fraction)) if whole.contains(is_mark) => {
            match text[whole.len()..].starts_with(mark) {
                true => (text, None),
                false => (whole, Some(fraction)),
            }
        }
        // Only a currency tells that a lone comma begins a fraction, and parts no list.
        Some((whole, fraction)) if mark == ',' && !ends_in_group(text, ',') => {
            return (has_currency && is_digits(whole) && is_digits(fraction))
                .then(|| format!("{whole}.{fraction}"));
        }
        _ => (text, None),
    };
    let mut groups = whole.split(mark);
    let first = groups.next()?;
    let are_groups = (1..=GROUP_DIGITS).contains(&first.len())
        && is_digits(first)
        && !first.starts_with('0')
        && groups.all(is_group);
    if !are_groups || fraction.is_some_and(|fraction| !is_digits(fraction)) {
        return None;
    }
    let whole = whole.replace(mark, "");
    Some(match fraction {
        Some(fraction) => format!("{whole}.{fraction}"),
        None => whole,
    })
}

#[cfg(test)]
mod tests {
    use super::Number::{Float, Int};
    use super::*;

    #[test]
    fn a_spelling_with_one_meaning_is_read_as_that() {
        for (text, number) in [
            ("$10", Int(10)),
            ("10.00€", Int(10)),
            ("10 USD", Int(10)),
            ("EUR 1,250", Int(1250)),
            ("US$5", Int(5)),
            ("-$5", Int(-5)),
            ("$-5", Int(-5)),
            ("−5", Int(-5)),
            ("–5", Int(-5)),
            ("−$1,000.50", Float(-1000.5)),
            ("\"10\"", Int(10)),
            ("“10”", Int(10)),
            ("'7'", Int(7)),
            ("1,000", Int(1000)),
            ("-1,000", Int(-1000)),
            ("+1,000", Int(1000)),
            ("1_000_000", Int(1_000_000)),
            ("1.000.000", Int(1_000_000)),
            ("1'000", Int(1000)),
            ("1’000", Int(1000)),
            ("1 000", Int(1000)),
            ("1\u{a0}000", Int(1000)),
            ("1\u{202f}000,5", Float(1000.5)),
            ("1,000.50", Float(1000.5)),
            ("1.000,50", Float(1000.5)),
            ("1.000.000,5", Float(1_000_000.5)),
            ("€10,50", Float(10.5)),
            ("€1,000", Int(1000)),
            ("€0.125", Float(0.125)),
            ("−1.125", Float(-1.125)),
            ("٥", Int(5)),
            ("1５", Int(15)),
            ("$.5", Float(0.5)),
            ("$1e3", Int(1000)),
            ("5USD", Int(5)),
            ("EUR1,250.50", Float(1250.5)),
            ("-5.5CHF", Float(-5.5)),
            ("0x5", Int(5)),
            ("-0XfF", Int(-255)),
            ("1k", Int(1000)),
            ("-1.5K", Int(-1500)),
            ("5f", Int(5)),
            ("0.5F", Float(0.5)),
            ("５\u{200b}．５", Float(5.5)),
            ("$9007199254740993.0", Int(9_007_199_254_740_993)),
        ] {
            assert_eq!(spelled_number(text), Some(number), "{text}");
        }
    }

    #[test]
    fn a_spelling_with_none_or_several_is_not() {
        for text in [
            "",
            "-",
            "$",
            "USD",
            "cheap",
            "10,20",
            "10,5",
            "€1.000",
            "$1.000",
            "1,00,0",
            "1,0000",
            "0,50",
            "0,125",
            "SKU10",
            "SKU5",
            "5CMS",
            "EUR5EUR",
            "0x",
            "0x-5",
            "0xfffffffffffffffff",
            "k",
            "1kk",
            "5L",
            "5M",
            "1e3k",
            "5ff",
            "5'",
            "10\"",
            "50%",
            "5¢",
            "1,000 000",
            "-$-5",
            "--5",
            "5-",
            "$5$",
            "$5 EUR",
            "10 pcs",
            "12-AB",
            "½",
            "1.000.00",
            "1,000,00",
            "1,000.",
            "0,1,000",
            "USDX5",
            "1e999",
            "~5",
            "5:30",
        ] {
            assert_eq!(spelled_number(text), None, "{text}");
        }
    }

    #[test]
    fn digits_and_marks_alone_look_like_numbers() {
        for text in [
            "$5",
            "10,20",
            "50%",
            "1.2.3",
            "½",
            "5 USD",
            "−٥",
            "01/02/2024",
            "1*5",
        ] {
            assert!(looks_numeric(text), "{text}");
        }
        for text in [
            "", "-", "cheap", "5kg", "SKU10", "12-ABC", "12-AB", ">5", "5th", "$",
        ] {
            assert!(!looks_numeric(text), "{text}");
        }
    }
}
